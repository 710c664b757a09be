import { Subject } from '../../common/subjects/subject.js';
import { ClusterChecks } from './cluster.checks.js';
import { ClusterRepository } from './cluster.repository.js';
import { registerDistributionCommand } from './distribution.commands.js';

/** Distributes the tables of the feed reader over a Citus cluster. */
@Subject({
  providers: [ClusterChecks, ClusterRepository],
  commands: [registerDistributionCommand],
})
export class DistributionModule {}
