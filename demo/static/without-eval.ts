/** The pages run under a policy that refuses `eval`; the validator of the relay would try it, and the browser complain. Imported first. */
import { config } from 'zod';

config({ jitless: true });
