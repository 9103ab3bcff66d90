/** Lists of a request, with their bounds. */
import { z } from 'zod';

/** A list whose length is checked first: zod would check every item before it counts them. */
export const atMost = <Item extends z.ZodType>(most: number, item: Item, least = 0) =>
  z
    .unknown()
    .refine((list) => !Array.isArray(list) || list.length <= most, { error: `has more than ${most} entries`, abort: true })
    .pipe(z.array(item).min(least));
