/* Changes of the builder's configuration. */

module.exports = {
  module: {
    rules: [
      {
        // JupyterLab loads all styles when it starts. The builder has a minifier for them.
        test: /\.css$/,
        enforce: 'pre',
        loader: 'builtin:lightningcss-loader',
        options: { minify: true }
      }
    ]
  }
};
