import { CommandRefused } from '../../common/command-line/command-refused.js';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { say } from '../../common/command-line/say.js';
import { wholeNumberBetween } from '../../common/command-line/whole-number.js';
import type { RegisterCommands } from '../../common/command-line/with-app.js';
import type { Config } from '../../common/config/config.js';
import { withDatabaseAlone } from '../../database/server/database-alone.js';
import type { ShardCounts } from './distribution.repository.js';
import { distribute, type Distributed } from './distribution.service.js';

/** A request of a reader asks one shard. */
const READER_SHARDS = 64;
/** A list asks all of them. */
const ARTICLE_SHARDS = 16;
const MOST_SHARDS = 1024;

interface Options {
  readonly readerShards: number;
  readonly articleShards: number;
}

/** The operator's command for a database on several servers. */
export const registerDistributionCommand: RegisterCommands = (program, _withApp, { settings }) => {
  inOwnProcess(program.command('database:distribute'))
    .description('spread readers and articles over a Citus cluster, while the service is stopped')
    .option(
      '--reader-shards <number>',
      'parts of the tables of readers; cannot be changed later',
      wholeNumberBetween(1, MOST_SHARDS),
      READER_SHARDS,
    )
    .option(
      '--article-shards <number>',
      'parts of the tables of articles, all of which a list asks; cannot be changed later',
      wholeNumberBetween(1, MOST_SHARDS),
      ARTICLE_SHARDS,
    )
    .action(async ({ readerShards, articleShards }: Options) => {
      const shards = { readers: readerShards, articles: articleShards };
      say(describe(await run(settings(), shards), shards));
    });
};

async function run(config: Config, shards: ShardCounts): Promise<Distributed> {
  if (config.databaseUrl === undefined) {
    throw new CommandRefused(
      'The embedded database is one server. Let DATABASE_URL name the coordinator of a Citus cluster.',
    );
  }
  return withDatabaseAlone(config, (orm) => distribute(orm, shards, say));
}

function describe({ cluster, tables }: Distributed, { readers, articles }: ShardCounts): string {
  const where = `${cluster.workers.length} ${cluster.workers.length === 1 ? 'worker' : 'workers'}`;
  return tables.length === 0
    ? `Readers and articles are distributed over ${where} already.`
    : `Distributed ${tables.length} tables over ${where}, in ${readers} shards of readers and ${articles} of ` +
        'articles. Start the service again.';
}
