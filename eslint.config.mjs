import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const NO_API = {
  group: ['../api', '../api/*', '../../api', '../../api/*', '@jupyterlab/services'],
  message: 'A view knows its model; only models talk to the API.'
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.venv/**',
      'build/**',
      'labextension/lib/**',
      'labextension/src/generated/**',
      'server_ext/**',
      'ui-tests/**',
      'docs/**',
      'bench/**'
    ]
  },
  js.configs.recommended,
  {
    files: ['labextension/src/**/*.{ts,tsx}', 'labextension/apps/**/*.{ts,tsx}', 'labextension/test/**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: 'labextension/test/tsconfig.json', tsconfigRootDir: import.meta.dirname }
    },
    plugins: { 'react-hooks': hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/unbound-method': 'off',
      // The house style: a Token and its interface share one name; command ids live in a namespace.
      '@typescript-eslint/no-redeclare': 'off',
      '@typescript-eslint/no-namespace': 'off',
      'no-console': 'error',
      complexity: ['error', 12],
      eqeqeq: 'error'
    }
  },
  {
    files: ['panels', 'components', 'forms', 'mime'].map(folder => `labextension/src/${folder}/**/*.{ts,tsx}`),
    ignores: ['labextension/src/panels/**/model.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [NO_API] }] }
  },
  {
    files: ['labextension/src/model/**/*.ts', 'labextension/src/lineage/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['react', '@lumino/widgets', '@jupyterlab/ui-components'], message: 'No views in here.' },
            {
              group: ['**/panels/**', '**/components/**', '**/forms/**'],
              message: 'Views are built on this, not the other way round.'
            }
          ]
        }
      ]
    }
  },
  {
    files: ['labextension/src/components/**/*.{ts,tsx}', 'labextension/src/forms/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [NO_API, { group: ['**/panels/**'], message: 'Panels are built on this, not the other way round.' }]
        }
      ]
    }
  },
  {
    files: ['labextension/apps/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/src/**', '@jupyterlab/*', '@lumino/widgets'],
              allowTypeImports: true,
              message: 'A panel is built on what authors of applications have: it may import types alone.'
            }
          ]
        }
      ]
    }
  },
  {
    files: ['examples/shop-bookmarks/**/*.js'],
    languageOptions: { globals: { document: 'readonly', FormData: 'readonly' } }
  },
  {
    files: ['labextension/tools/*.mjs', 'labextension/style/*.js', '*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly' } }
  }
);
