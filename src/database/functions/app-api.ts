import type { DatabaseFunction } from './database-function.js';

export const APP_API_FUNCTIONS: readonly DatabaseFunction[] = [
  {
    name: 'announce_scheduled_task',
    text: `perform pg_notify('gatefold_tasks', new.type);`,
    triggers: {
      processing_task_scheduled: `after insert or update of state on processing_task
        for each row when (new.state = 'scheduled')`,
    },
    readBy: 'ScheduledTypes',
    reason: 'Every process knows which types have scheduled tasks.',
  },
  {
    name: 'announce_ended_task',
    text: `perform pg_notify('gatefold_task_ended', new.id::text);`,
    triggers: {
      processing_task_ended: `after update of ended_at on processing_task
        for each row when (old.ended_at is null and new.ended_at is not null)`,
    },
    readBy: 'TaskQueue',
    reason: 'A request that waits for a task may be on another process.',
  },
  {
    name: 'announce_task_catalogue',
    text: `perform pg_notify('gatefold_task_catalogue', '');`,
    triggers: {
      task_type_setting_changed: `after insert or update or delete on task_type_setting
        for each statement`,
      task_provider_registered: `after insert or update on ex_app_registration
        for each row when (new.kind = 'task_processing')`,
      task_provider_unregistered: `after delete on ex_app_registration
        for each row when (old.kind = 'task_processing')`,
      ex_app_enabled: `after update of enabled on ex_app
        for each row when (new.enabled <> old.enabled)`,
    },
    readBy: 'TaskCatalogue',
    reason: 'Every process knows which tasks can be scheduled.',
  },
  {
    name: 'give_back_tasks',
    // The attempt does not count, since it is not the app's fault.
    text: `(lost_app text, lost_provider text) returns void language plpgsql as $$
      begin
        update processing_task
           set state = 'scheduled', app_id = null, lease_until = null, progress = null,
               output = null, changed_at = now(),
               attempts = case state when 'running' then greatest(attempts - 1, 0) else attempts end
         where app_id = lost_app and state in ('scheduled', 'running')
           and (lost_provider is null or provider_id = lost_provider);
      end $$`,
    readBy: 'ProcessingTasksRepository',
    reason: 'No task stays with an app that is gone, however it went.',
  },
  {
    name: 'give_back_tasks_of_app',
    text: `perform give_back_tasks(new.app_id, null);`,
    triggers: {
      ex_app_disabled: `after update of enabled on ex_app
        for each row when (old.enabled and not new.enabled)`,
    },
    readBy: 'give_back_tasks',
    reason: 'An app that is disabled loses its tasks.',
  },
  {
    name: 'give_back_tasks_of_provider',
    text: `perform give_back_tasks(old.app_id, old.key);`,
    triggers: {
      task_provider_removed: `after delete on ex_app_registration
        for each row when (old.kind = 'task_processing')`,
    },
    readBy: 'give_back_tasks',
    reason: 'A provider that is unregistered, or whose app is removed, loses its tasks.',
  },
  {
    name: 'note_news_event_wishes',
    appliedBy: '0133-locks-apart',
    // One at a time: each must see what the others registered. The number is none of a reader's, see advisory-locks.ts.
    text: `perform pg_advisory_xact_lock(4706069);
        perform want_news_events(coalesce(array_agg(distinct coalesce(wanted.subtype, '*')), '{}'))
          from ex_app_registration r
          join ex_app on ex_app.app_id = r.app_id and ex_app.enabled
          left join lateral json_array_elements_text(r.fields->'eventSubtypes') wanted (subtype)
            on true
         where r.kind = 'events_listener' and r.key = 'news_event';`,
    triggers: {
      news_event_listener_insert: `after insert on ex_app_registration
        for each row when (new.kind = 'events_listener' and new.key = 'news_event')`,
      news_event_listener_update: `after update on ex_app_registration
        for each row when (new.kind = 'events_listener' and new.key = 'news_event')`,
      news_event_listener_delete: `after delete on ex_app_registration
        for each row when (old.kind = 'events_listener' and old.key = 'news_event')`,
      news_event_app_changed: `after update of enabled or delete on ex_app for each row`,
    },
    readBy: 'want_news_events',
    reason: 'A registration takes effect with its own transaction, in all processes.',
  },
];
