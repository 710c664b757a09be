import { Module } from '@nestjs/common';
import { AccountUse } from './account-use.js';
import { AnswerTurns } from './answer-turns.js';
import { OpenRequests } from './open-requests.js';
import { RouteOrder } from './route-order.js';
import { SharedCounts } from './shared-counts.js';
import { Shares } from './shares.js';
import { StrangerTurns } from './stranger-turns.js';

/** Counts and schedules the requests of clients. */
@Module({
  providers: [
    AccountUse,
    AnswerTurns,
    OpenRequests,
    RouteOrder,
    SharedCounts,
    Shares,
    StrangerTurns,
  ],
  exports: [AccountUse, AnswerTurns, OpenRequests, SharedCounts, Shares, StrangerTurns],
})
export class HttpEdgeModule {}
