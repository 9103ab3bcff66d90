import { openDatabase } from '/work/main/demo/server/database.ts';
import { createTasksApi } from '/work/main/demo/server/tasks-api.ts';
import { createSite, listen } from '/work/main/demo/server/site.ts';
const database = await openDatabase({ url: ':memory:' });
const tasks = createTasksApi({ database });
const site = await listen(createSite({ tasks, ai: async () => new Response(null, { status: 503 }), model: 'scripted' }), { port: 5199 });
console.log(site.url);
