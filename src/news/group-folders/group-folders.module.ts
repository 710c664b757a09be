import { GroupBelongingsOffer } from '../../common/ports/group-belongings.js';
import { offered, Subject } from '../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../platform/accounts/security/security.module.js';
import { AddedItemsModule } from '../adding/adding.module.js';
import { OpmlModule } from '../opml/opml.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { GivenByGroupsOffer } from '../reader/delivery/given-by-groups.js';
import { FeedsModule } from '../reader/feeds/feeds.module.js';
import { RulesModule } from '../reader/rules/rules.module.js';
import { FeedAccessModule } from '../sources/access/access.module.js';
import { SourceFindingModule } from '../sources/finding/finding.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { GroupFeedsService } from './group-feeds.service.js';
import { GroupFoldersRepository } from './group-folders.repository.js';
import { GroupFoldersService } from './group-folders.service.js';
import {
  GroupFoldersAdministrationV13Controller,
  GroupFoldersV13Controller,
} from './group-folders.v1-3.controller.js';
import { GroupRulesRepository } from './group-rules.repository.js';
import { GroupRulesService } from './group-rules.service.js';
import { GroupRulesV13Controller } from './group-rules.v1-3.controller.js';
import { MembershipsRepository } from './memberships.repository.js';
import { MembershipsService } from './memberships.service.js';

/** Folders of groups, which every member has. */
@Subject({
  imports: [
    AddedItemsModule,
    DeliveryModule,
    FeedAccessModule,
    FeedsModule,
    OpmlModule,
    RulesModule,
    SecurityEventsModule,
    SourceFindingModule,
    SourcesModule,
  ],
  controllers: [
    GroupFoldersV13Controller,
    GroupFoldersAdministrationV13Controller,
    GroupRulesV13Controller,
  ],
  providers: [
    GroupFeedsService,
    GroupFoldersRepository,
    GroupFoldersService,
    GroupRulesRepository,
    GroupRulesService,
    MembershipsRepository,
    MembershipsService,
    offered(GivenByGroupsOffer, MembershipsService),
    offered(GroupBelongingsOffer, GroupFoldersService),
  ],
  exports: [GroupFeedsService, GroupFoldersRepository, GroupFoldersService],
})
export class GroupFoldersModule {}
