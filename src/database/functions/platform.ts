import type { DatabaseFunction } from './database-function.js';

export const PLATFORM_FUNCTIONS: readonly DatabaseFunction[] = [
  {
    name: 'announce_credentials',
    text: `perform pg_notify('gatefold_credentials', old.user_id);`,
    triggers: {
      account_credentials_changed: `after delete or update of display_name, email, password_hash, is_admin, disabled_at, has_second_factor, leaves_at
        on account for each row`,
      app_password_changed: `after delete or update of token_hash, may_administer
        on app_password for each row`,
    },
    readBy: 'RememberedLogins',
    reason:
      'Processes remember verified credentials until they change, also when they are changed by hand.',
    appliedBy: '0123-leaving',
  },
  {
    name: 'note_unreferenced_blobs',
    text: `insert into file_blob_unreferenced (blob_id)
        select distinct before.blob_id from before
         where before.blob_id is not null
           and not exists (select from file_node n where n.blob_id = before.blob_id)
        on conflict do nothing;`,
    triggers: {
      file_node_deleted: `after delete on file_node
        referencing old table as before for each statement`,
      file_node_updated: `after update on file_node
        referencing old table as before for each statement`,
    },
    readBy: 'BlobsRepository',
    reason: 'Contents without a node are swept later, however the node went.',
  },
  {
    name: 'note_unreferenced_pieces',
    text: `insert into file_blob_unreferenced (blob_id) select blob_id from before
        on conflict do nothing;`,
    triggers: {
      file_upload_piece_deleted: `after delete on file_upload_piece
        referencing old table as before for each statement`,
    },
    readBy: 'BlobsRepository',
    reason: 'Contents of pieces are swept when their upload ends or expires.',
  },
];
