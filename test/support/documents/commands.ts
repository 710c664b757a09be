import type { Command } from 'commander';
import { allCommands } from '../../../src/cli/run.js';
import { readDocument } from './documents.js';

const { program: PROGRAM } = await allCommands();
const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: object };

/** Commands of apps, and placeholders. */
const OF_APPS = /^(?:tides|hello-app|bookmarks-app|APP_?ID):/;

const GATEFOLD =
  /(?:npm run (?:--silent )?gatefold --|npx gatefold|node (?:\/opt\/gatefold\/)?bin\/gatefold\.mjs|gatefold) ([a-z].*)/;

/** Commands, options and npm scripts of a document that there are not. */
export function unknownCommandsIn(document: string): string[] {
  return commandLinesOf(readDocument(document)).flatMap((line) => {
    const [, script] = /\bnpm run (?:-s |--silent )?([\w:-]+)/.exec(line) ?? [];
    const unknown = script === undefined || script in scripts ? [] : [line];
    const [, words] = GATEFOLD.exec(line) ?? [];
    return words === undefined ? unknown : [...unknown, ...unknownIn(words)];
  });
}

/** Lines of shell blocks, joined where they go on, and code in the text that begins with a program. */
function commandLinesOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const spans = [...text.matchAll(/`((?:npm run|npx gatefold|gatefold|node bin)[^`]*)`/g)].map(
    ([, span = '']) => span.replaceAll(/\s+/g, ' '),
  );
  return [...blocks.map((line) => line.replace(/(^|\s)#.*$/, '')), ...spans];
}

/** `user:list | user:passwd NAME` are two commands; what follows another pipe is another program's. */
function unknownIn(words: string): string[] {
  const [first = '', ...others] = words.split(/ \| | && |; /);
  const alternatives = others.filter((one) => /^[\w_-]+:[\w:-]+/.test(one));
  return [first, ...alternatives].flatMap((one) => {
    const [name = '', ...rest] = one.split(/\s+/);
    if (OF_APPS.test(name)) {
      return [];
    }
    const command = PROGRAM.commands.find((known) => known.name() === name);
    if (command === undefined) {
      return [one];
    }
    const options = rest.flatMap((word) => /^\[?(--[a-z][\w-]*)/.exec(word)?.[1] ?? []);
    return options.filter((option) => !takes(command, option)).map((option) => `${name} ${option}`);
  });
}

function takes(command: Command, option: string): boolean {
  return (
    ['--help', '--version'].includes(option) || command.options.some(({ long }) => long === option)
  );
}
