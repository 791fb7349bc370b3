// Write src/generated/api.ts from schemas/api/*.json; with --check, only report whether it is current.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const source = join(root, 'schemas', 'api');
const target = join(root, 'labextension', 'src', 'generated', 'api.ts');
const URN = /^urn:jupyter-colophon:api:(.+):v1$/;

/** Replaces references between files by references in the bundle, and removes keywords without types. */
function toBundled(value) {
  if (Array.isArray(value)) {
    return value.map(toBundled);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  const entries = Object.entries(value)
    .filter(([key]) => !['$schema', '$id', 'examples', 'minItems', 'maxItems', 'allOf'].includes(key))
    .map(([key, inner]) => {
      const name = key === '$ref' && typeof inner === 'string' ? URN.exec(inner)?.[1] : undefined;
      return name === undefined ? [key, toBundled(inner)] : ['$ref', `#/definitions/${name}`];
    });
  return Object.fromEntries(entries);
}

const names = readdirSync(source)
  .filter(name => name.endsWith('.json'))
  .map(name => name.slice(0, -'.json'.length))
  .sort();
const definitions = Object.fromEntries(
  names.map(name => [name, toBundled(JSON.parse(readFileSync(join(source, `${name}.json`), 'utf8')))])
);
const bundle = {
  title: 'Api',
  description: 'All documents of the API, by their names in schemas/api.',
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { $ref: `#/definitions/${name}` }])),
  required: names,
  additionalProperties: false,
  definitions
};
const text = await compile(bundle, 'Api', {
  additionalProperties: false,
  bannerComment: '// Generated from schemas/api by `jlpm generate`; do not edit.',
  format: false,
  strictIndexSignatures: false
});

const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (process.argv.includes('--check')) {
  if (current !== text) {
    console.error(`${relative(root, target)} is stale: run jlpm generate`);
    process.exit(1);
  }
} else if (current !== text) {
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
