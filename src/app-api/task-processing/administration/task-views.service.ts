import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../common/metrics/metrics.js';
import { AppFindings } from '../../administration/app-records.service.js';
import { QueuesService } from '../../queues/queues.service.js';
import { TaskAdministration } from './task-administration.service.js';
import {
  type ReportedProvider,
  type TaskProcessingReport,
  TaskProcessingReports,
} from './task-processing-report.service.js';
import type { WatchedTask } from './watched-tasks.repository.js';

/** Views of tasks for the pages on queues, apps and metrics. */
@Injectable()
export class TaskViews {
  constructor(
    queues: QueuesService,
    apps: AppFindings,
    tasks: TaskAdministration,
    reports: TaskProcessingReports,
    metrics: Metrics,
  ) {
    queues.countsTasks('tasks', () => tasks.olderCounts());
    queues.countsTasks('task_processing', () => tasks.counts());
    apps.add({
      name: 'taskProcessing',
      examine: (appId) => reports.examine(appId),
      describe: describeTaskProcessing,
    });
    metrics.readSeldom(
      {
        name: 'gatefold_tasks',
        help: 'Stored tasks of task processing by state.',
        labelNames: ['state'],
      },
      async () =>
        Object.entries(await tasks.counts()).map(([state, value]) => ({
          labels: { state },
          value,
        })),
    );
  }
}

/** Rows for the table of `app_api:doctor`: label and finding. */
function describeTaskProcessing(report: TaskProcessingReport): string[][] {
  const { providers, askedSeconds, running, failed, trigger } = report;
  return [
    ...labelled('Task providers', providers.map(describeProvider), 'none registered'),
    ['  asked for tasks', describeAsking(askedSeconds)],
    ...(trigger === null ? [] : [['  trigger', describeTrigger(trigger)]]),
    ...labelled('  running', running.map(describeRunning), 'no task'),
    ...labelled('  failed lately', failed.map(describeFailed), 'no task'),
  ];
}

function labelled(label: string, texts: readonly string[], none: string): string[][] {
  return texts.length === 0
    ? [[label, none]]
    : texts.map((text, index) => [index === 0 ? label : '', text]);
}

function describeProvider(provider: ReportedProvider): string {
  return `${provider.id} for ${provider.typeId}: ${sentenceOf(provider)}`;
}

function sentenceOf({
  typeId,
  standing,
  instead,
  scheduled,
  oldestSeconds,
}: ReportedProvider): string {
  switch (standing) {
    case 'preferred':
      return oldestSeconds === null
        ? 'gets the tasks, none waits'
        : `gets the tasks, ${scheduled} wait, the oldest for ${oldestSeconds} s`;
    case 'not-preferred':
      return `gets no tasks, ${instead} does; app_api:task-processing:prefer ${typeId} PROVIDER changes that`;
    case 'switched-off':
      return `the type is switched off, ${scheduled} tasks wait; app_api:task-processing:enable ${typeId} switches it on`;
    case 'app-disabled':
      return 'gets no tasks while the app is disabled';
    case 'unknown-type':
      return 'gets no tasks: no app describes this type; the app has to register it with customTaskType';
    case 'same-id':
      return `gets no tasks: the app ${instead} registered this id before; one of the two has to use another id`;
  }
}

function describeAsking(seconds: number | null): string {
  return seconds === null
    ? 'never: the process of the app has to ask; look at its own log'
    : at(seconds);
}

function describeTrigger({ status, error }: NonNullable<TaskProcessingReport['trigger']>): string {
  if (status === null) {
    return `${error} (the app learns of tasks only by asking)`;
  }
  if (status === 404) {
    return 'answers 404: the app has no trigger, and learns of tasks only by asking';
  }
  return status < 400 ? `answers ${status}` : `answers ${status}: look at the log of the app`;
}

function describeRunning({ id, type, attempts, progress, leaseUntilSeconds }: WatchedTask): string {
  const until = leaseUntilSeconds === null ? 'unknown' : at(leaseUntilSeconds);
  const done = progress === null ? 'no progress reported' : `${progress} %`;
  return `task ${id} (${type}), attempt ${attempts}, ${done}; goes back to the queue unless the app reports by ${until}`;
}

function describeFailed({ id, type, error, finishedSeconds }: WatchedTask): string {
  return `task ${id} (${type}) ${finishedSeconds === null ? '' : at(finishedSeconds)}: ${error}`;
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
