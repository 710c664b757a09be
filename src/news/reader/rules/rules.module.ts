import { Subject } from '../../../common/subjects/subject.js';
import { FullTextModule } from '../../sources/full-text/full-text.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ItemsModule } from '../items/items.module.js';
import { LabelsModule } from '../labels/labels.module.js';
import { NoticesModule } from '../notices/notices.module.js';
import { RowsModule } from '../rows/rows.module.js';
import { NewsSearchModule } from '../search/search.module.js';
import { ClockRules } from './clock-rules.service.js';
import { ClockRuns } from './clock-rules.task.js';
import { GivenRules } from './given-rules.service.js';
import { OutwardRules } from './outward-rules.service.js';
import { RuleCandidatesRepository } from './rule-candidates.repository.js';
import { RuleEffectsRepository } from './rule-effects.repository.js';
import { RuleMoments } from './rule-moments.service.js';
import { RulePlans } from './rule-plans.service.js';
import { RuleRuns } from './rule-runs.service.js';
import { RuleSets } from './rule-sets.service.js';
import { RuleTransfers } from './rule-transfers.service.js';
import { RuleTrials } from './rule-trials.service.js';
import { RuleWork } from './rule-work.service.js';
import { registerRuleCommands } from './rules.commands.js';
import { RulesRepository } from './rules.repository.js';
import { RulesService } from './rules.service.js';
import { RulesV13Controller } from './rules.v1-3.controller.js';

/** Rules of users for articles that match a condition, and what they did. */
@Subject({
  imports: [
    FullTextModule,
    DeliveryModule,
    ItemsModule,
    LabelsModule,
    NoticesModule,
    RowsModule,
    NewsSearchModule,
  ],
  controllers: [RulesV13Controller],
  providers: [
    ClockRules,
    ClockRuns,
    GivenRules,
    OutwardRules,
    RuleCandidatesRepository,
    RuleEffectsRepository,
    RuleMoments,
    RulePlans,
    RuleRuns,
    RuleSets,
    RulesRepository,
    RulesService,
    RuleTransfers,
    RuleTrials,
    RuleWork,
  ],
  exports: [GivenRules, RuleEffectsRepository, RuleTransfers],
  commands: [registerRuleCommands],
})
export class RulesModule {}
