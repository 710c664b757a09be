import { Migration } from '@mikro-orm/migrations';

/**
 * Tasks of the older routes become tasks of the one queue, with the ids that clients and apps know. New ids
 * are above those of both. Uploads in progress ended with their process.
 */
export class Migration0109OneTaskQueue extends Migration {
  override name = '0109-one-task-queue';
  readonly offline = 'moves the tasks of older providers';

  override up(): void {
    this.addSql(`
      alter table processing_task
        -- {filename} of a recording, or {}; null for a task that the older routes do not know.
        add column older jsonb,
        -- The id at the older routes, unless that is the id.
        add column older_id bigint,
        -- The app that is called; null if apps fetch the task.
        add column called_app_id text references ex_app (app_id) on delete cascade;

      -- Tasks that apps fetch had a row of each kind.
      update processing_task p
         set older = case e.kind when 'speech_to_text'
                       then jsonb_build_object('filename', coalesce(e.input->>'filename', ''))
                       else '{}' end,
             older_id = e.id, custom_id = coalesce(e.note->>'identifier', ''),
             deadline_at = least(p.deadline_at, e.deadline_at)
        from ex_app_task e
       where p.id = e.processing_task_id and p.user_id = e.user_id
         and (p.ended_at is null) = (e.finished_at is null);

      insert into processing_task (type, state, user_id, consumer, custom_id, input, output, progress,
          error, user_error, provider_id, deadline_at, changed_at, scheduled_at, started_at, ended_at,
          older, older_id, called_app_id)
        select case kind when 'translation' then 'core:text2text:translate'
                         when 'speech_to_text' then 'core:audio2text'
                         else 'core:text2text' || coalesce(':' || nullif(note->>'type', 'free_prompt'), '')
               end,
               case state when 'queued' then 'scheduled' when 'running' then 'running'
                          when 'done' then 'successful' else 'failed' end,
               user_id, coalesce(nullif(note->>'appId', ''), 'gatefold'),
               coalesce(note->>'identifier', ''), input::json,
               case state when 'done' then json_build_object('output', coalesce(result, '')) end,
               progress / 100.0, nullif(error, ''), nullif(error, ''), provider_name, deadline_at,
               coalesce(finished_at, started_at, created_at), created_at, started_at, finished_at,
               case kind when 'speech_to_text'
                 then jsonb_build_object('filename', coalesce(input->>'filename', ''))
                 else '{}' end,
               id, app_id
          from ex_app_task e
         where state <> 'uploading' and not exists (select from processing_task where older_id = e.id)
         order by id;

      insert into processing_task_file (task_id, name, mime, size_bytes)
        select p.id, 'recording', 'application/octet-stream', sum(octet_length(bytes))
          from ex_app_task_piece join processing_task p on p.older_id = task_id
         where p.called_app_id is not null and p.ended_at is null
         group by p.id;
      insert into processing_task_file_piece (file_id, place, bytes)
        select f.id, place, bytes
          from ex_app_task_piece
          join processing_task p on p.older_id = ex_app_task_piece.task_id
          join processing_task_file f on f.task_id = p.id
         where p.called_app_id is not null;
      update processing_task p set file_ids = array[f.id]
        from processing_task_file f where f.task_id = p.id and p.called_app_id is not null;

      select setval(pg_get_serial_sequence('processing_task', 'id'),
                    greatest(own.last_value, older.last_value), own.is_called or older.is_called)
        from processing_task_id_seq own, ex_app_task_id_seq older;
      drop table ex_app_task_piece, ex_app_task;

      create unique index processing_task_older_id_index on processing_task ((coalesce(older_id, id)))
        where older is not null;
      create index processing_task_called_app_id_index on processing_task (called_app_id)
        where called_app_id is not null;
    `);
  }
}
