/** `node build.mjs webpack` or `node build.mjs @rspack/core`. Without `trustedTypes` no chunk is loaded under the policy of the guide. */
const { default: bundle } = await import(process.argv[2]);
const config = {
  mode: 'production',
  entry: './main.js',
  output: { filename: 'main.js', trustedTypes: { policyName: 'webpack' } },
  experiments: { css: true },
  module: { rules: [{ test: /\.css$/, type: 'css/auto' }] },
  performance: { hints: false },
  optimization: { minimize: false }, // as slow as all the rest
};
bundle(config, (error, stats) => {
  if (!error && !stats.hasErrors() && !stats.hasWarnings()) return;
  console.error(error ?? stats.toString());
  process.exitCode = 1;
});
