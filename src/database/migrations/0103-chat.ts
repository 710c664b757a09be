import { Migration } from '@mikro-orm/migrations';

/** Conversations, participants and messages. */
export class Migration0103Chat extends Migration {
  override name = '0103-chat';

  override up(): void {
    this.addSql(`
      create table conversation (
        id bigint generated always as identity primary key,
        -- How clients address it.
        token text not null unique,
        -- 1 one-to-one, 2 group, 3 public, 5 former one-to-one
        type smallint not null check (type in (1, 2, 3, 5)),
        -- Empty for one-to-one, which each user sees under the name of the other.
        name text not null,
        description text not null default '',
        -- The two users of a one-to-one, so that they have one conversation only.
        pair text[] unique,
        -- The newest message that lists show.
        last_message_id bigint,
        last_activity_at timestamptz not null default now(),
        created_at timestamptz not null default now(),
        message_count bigint not null default 0,
        constraint conversation_pair_check check ((type = 1) = (pair is not null))
      );
      -- For the deletion of an account.
      create index conversation_pair_index on conversation using gin (pair) where pair is not null;

      create table conversation_participant (
        id bigint generated always as identity primary key,
        conversation_id bigint not null references conversation (id) on delete cascade,
        user_id text not null references account (user_id) on delete cascade,
        -- 1 owner, 2 moderator, 3 user, 5 came by a public link
        participant_type smallint not null check (participant_type in (1, 2, 3, 5)),
        last_read_message_id bigint not null default 0,
        last_mention_message_id bigint not null default 0,
        joined_at timestamptz not null default now(),
        constraint conversation_participant_conversation_id_user_id_unique
          unique (conversation_id, user_id)
      );
      create index conversation_participant_user_id_index on conversation_participant (user_id);

      create table chat_message (
        -- Assigned under the lock of the conversation, hence within it in the order of commits.
        id bigint generated always as identity primary key,
        conversation_id bigint not null references conversation (id) on delete cascade,
        -- users, bots, deleted_users
        actor_type text not null,
        actor_id text not null,
        actor_display_name text not null,
        -- comment, system, comment_deleted
        kind text not null,
        -- The event of a message of kind system.
        system_message text not null default '',
        -- With {placeholders}, whose values are in parameters.
        message text not null,
        parameters jsonb not null default '{}',
        reference_id text not null default '',
        parent_id bigint references chat_message (id) on delete set null,
        silent boolean not null default false,
        created_at timestamptz not null default clock_timestamp(),
        edited_at timestamptz,
        editor_type text,
        editor_id text,
        editor_display_name text
      );
      create index chat_message_conversation_id_id_index on chat_message (conversation_id, id);
      create index chat_message_comments_index on chat_message (conversation_id, id)
        where kind = 'comment';
      create index chat_message_actor_id_index on chat_message (actor_id, actor_type);
      create index chat_message_editor_id_index on chat_message (editor_id) where editor_id is not null;
      create index chat_message_parent_id_index on chat_message (parent_id)
        where parent_id is not null;

      create table chat_reaction (
        message_id bigint references chat_message (id) on delete cascade,
        actor_type text,
        actor_id text,
        actor_display_name text not null,
        reaction text,
        created_at timestamptz not null default clock_timestamp(),
        primary key (message_id, reaction, actor_type, actor_id)
      );
      create index chat_reaction_actor_id_index on chat_reaction (actor_id, actor_type);

      -- Clients know bots by a number, external apps by a text.
      create table chat_bot (
        id int generated always as identity primary key,
        bot_id text not null unique,
        -- Since it was last reached.
        error_count int not null default 0,
        last_error_at timestamptz,
        last_error text not null default '',
        -- The app that owns the bot, so that the bot leaves conversations with its app even if the app
        -- already withdrew it. Null for bots recorded earlier, until the list of bots is next read.
        app_id text
      );
      create index chat_bot_app_id_index on chat_bot (app_id);

      create table conversation_bot (
        -- Identifies one period of taking part; the next one has another.
        id bigint generated always as identity primary key,
        conversation_id bigint not null references conversation (id) on delete cascade,
        bot_id text not null references chat_bot (bot_id) on delete cascade,
        constraint conversation_bot_conversation_id_bot_id_unique unique (conversation_id, bot_id)
      );
      create index conversation_bot_bot_id_index on conversation_bot (bot_id);
    `);
  }
}
