import type { Command } from 'commander';

/** Headings of the help, and the prefix before the colon of the commands below each. */
const GROUPS = [
  ['Accounts', ['user', 'group', 'app-password', 'session']],
  ['Security', ['audit', 'secrets']],
  ['Database, files and backups', ['backup', 'restore', 'database', 'files']],
  ['Feeds', ['news', 'feed']],
  ['External apps', ['app_api']],
] as const;

const EXAMPLES: Readonly<Record<string, string>> = {
  'user:add': 'user:add ada --display-name "Ada Lovelace" --admin',
  'app-password:add': 'app-password:add ada "my phone" --scope reader --days 90',
  'audit:export': 'audit:export --from 2026-11-01 --kind user_created > audit.jsonl',
  'news:opml:import': 'news:opml:import ada feeds.opml --unread 10 --wait',
  'news:import': 'news:import ada starred.json --dry-run',
  'news:import-nextcloud': 'news:import-nextcloud export.jsonl --user-map old=ada --dry-run',
  'app_api:daemon:register':
    'app_api:daemon:register manual "My host" manual-install http 127.0.0.1',
  'app_api:app:register': 'app_api:app:register my_app manual --info-xml info.xml --wait-finish',
};

/** @param columns of the terminal */
export function helpFor(columns = 80) {
  return {
    helpWidth: Math.min(columns, 80),
    sortSubcommands: true,
    subcommandTerm: (command: Command): string => command.name(),
  };
}

/** Puts the commands below headings, and adds examples. */
export function arrangeHelp(program: Command): void {
  program.addHelpText(
    'after',
    '\nArguments, options and an example: gatefold help COMMAND\n' +
      'Exit status: 0 done, 1 refused or failed, 2 wrong command, argument or option.',
  );
  // The first command of a group decides the group's position.
  (program.commands as Command[]).sort((a, b) => placeOf(a) - placeOf(b));
  for (const command of program.commands) {
    const [prefix] = command.name().split(':');
    const heading = GROUPS.find(([, prefixes]) => prefixes.some((one) => one === prefix))?.[0];
    command.helpGroup(`${heading ?? 'Commands'}:`);
    const example = EXAMPLES[command.name()];
    command.addHelpText('after', example === undefined ? '' : `\nExample:\n  gatefold ${example}`);
  }
}

/** Position of the command's group; commands without a group come first. */
function placeOf(command: Command): number {
  const [prefix] = command.name().split(':');
  return GROUPS.findIndex(([, prefixes]) => prefixes.some((one) => one === prefix));
}
