// Writes src/generated/api.ts from schemas/api/*.json; with --check only says whether it is fresh.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const source = join(root, 'schemas', 'api');
const target = join(root, 'labextension', 'src', 'generated', 'api.ts');
const URN = /^urn:jupyter-colophon:api:(.+):v1$/;

/** `$ref` between files becomes `$ref` inside the bundle; what types cannot say is left out. */
function bundled(value) {
  if (Array.isArray(value)) {
    return value.map(bundled);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  const entries = Object.entries(value)
    .filter(([key]) => !['$schema', '$id', 'examples', 'minItems', 'maxItems', 'allOf'].includes(key))
    .map(([key, inner]) => {
      const name = key === '$ref' && typeof inner === 'string' ? URN.exec(inner)?.[1] : undefined;
      return name === undefined ? [key, bundled(inner)] : ['$ref', `#/definitions/${name}`];
    });
  return Object.fromEntries(entries);
}

const names = readdirSync(source)
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, -'.json'.length))
  .sort();
const definitions = Object.fromEntries(
  names.map(name => [name, bundled(JSON.parse(readFileSync(join(source, `${name}.json`), 'utf8')))])
);
const bundle = {
  title: 'Api',
  description: 'Everything that crosses the wire, by its name in schemas/api.',
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { $ref: `#/definitions/${name}` }])),
  required: names,
  additionalProperties: false,
  definitions
};
const text = await compile(bundle, 'Api', {
  additionalProperties: false,
  bannerComment: '// Made from schemas/api by `jlpm generate`. Never edited by hand.',
  format: false,
  strictIndexSignatures: false
});

const have = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (process.argv.includes('--check')) {
  if (have !== text) {
    console.error(`${relative(root, target)} is stale: run jlpm generate`);
    process.exit(1);
  }
} else if (have !== text) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
