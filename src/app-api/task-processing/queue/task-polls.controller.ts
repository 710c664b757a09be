import { CallingExApp } from '../../../common/auth/calling-app.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { OcsNothing } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { CallingApp } from '../../../common/ports/app-credentials.js';
import { NextTaskAnswer, NextTasksAnswer, toTaskJson } from './processing-task.wire.js';
import { Wish, Wished, TaskPollGuard, type SentWish } from './task-poll.guard.js';
import { TaskQueue } from './task-queue.service.js';

/**
 * The routes by which providers fetch tasks. They ask every few seconds.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
@OcsController('taskprocessing/tasks_provider', { guards: [TaskPollGuard] })
export class TaskPollsController {
  constructor(private readonly queue: TaskQueue) {}

  /** 204 if there is no task. */
  @Get('next', 'Fetches the next task.', NextTaskAnswer, { empty: [204], input: Wish })
  async next(@CallingExApp() { appId }: CallingApp, @Wished() wish: SentWish | null) {
    const [task] = wish === null ? [] : await this.queue.claim(appId, wish, 1);
    if (task === undefined) {
      return new OcsNothing();
    }
    // Apps read either name.
    const provider = { name: task.providerId, id: task.providerId };
    return { task: toTaskJson(task), provider };
  }

  @Get('next_batch', 'Fetches the next tasks.', NextTasksAnswer, { input: Wish })
  async nextBatch(@CallingExApp() { appId }: CallingApp, @Wished() wish: SentWish | null) {
    if (wish === null) {
      return { tasks: [], has_more: false };
    }
    const { tasks, hasMore } = await this.queue.claimBatch(appId, wish, wish.most);
    return {
      tasks: tasks.map((task) => ({ task: toTaskJson(task), provider: task.providerId })),
      has_more: hasMore,
    };
  }
}
