/** Schemas of lists with a maximum length. */
import { z } from 'zod';

/** Builds a schema of a list. It checks the length first, because zod would check every item before it counts them. */
export const boundedList = <Item extends z.ZodType>(most: number, item: Item, least = 0) =>
  z
    .unknown()
    .refine((list) => !Array.isArray(list) || list.length <= most, { error: `has more than ${most} entries`, abort: true })
    .pipe(z.array(item).min(least));
