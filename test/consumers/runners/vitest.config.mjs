export default { test: { globals: true, environment: process.env.DOM } };
