import { Migration0001Accounts } from './0001-accounts.js';
import { Migration0002News } from './0002-news.js';
import { Migration0003FetchHistory } from './0003-fetch-history.js';
import { Migration0004FullTextFiltersSearch } from './0004-full-text-filters-search.js';
import { Migration0006AppApi } from './0006-app-api.js';
import { Migration0007Notifications } from './0007-notifications.js';
import { Migration0008Files } from './0008-files.js';
import { Migration0009Chat } from './0009-chat.js';
import { Migration0010Login } from './0010-log-in.js';
import { Migration0011People } from './0011-people.js';
import { Migration0012ReaderPages } from './0012-reader-pages.js';
import { Migration0013WorkOfApps } from './0013-work-of-apps.js';
import { Migration0014GatewayFailures } from './0014-gateway-failures.js';
import { Migration0015PiecesAndGroups } from './0015-pieces-and-groups.js';
import { Migration0016Administration } from './0016-administration.js';
import { Migration0017Endings } from './0017-endings.js';
import { Migration0018ArticleIdentity } from './0018-article-identity.js';
import { Migration0019PartialDocuments } from './0019-partial-documents.js';
import { Migration0020ClientsAndRights } from './0020-clients-and-rights.js';
import { Migration0022Bounds } from './0022-bounds.js';
import { Migration0023GatewayOperation } from './0023-gateway-operation.js';
import { Migration0024SecretKey } from './0024-secret-key.js';
import { Migration0026Ingest } from './0026-ingest.js';
import { Migration0027RequestsOfClients } from './0027-requests-of-clients.js';
import { Migration0028ListsByDate } from './0028-lists-by-date.js';
import { Migration0029Preferences } from './0029-preferences.js';
import { Migration0030FeedEditing } from './0030-feed-editing.js';
import { Migration0031ArticleExtras } from './0031-article-extras.js';
import { Migration0032Trash } from './0032-trash.js';
import { Migration0033ArrivalAndLabels } from './0033-arrival-and-labels.js';
import { Migration0034LoginsOfPrograms } from './0034-logins-of-programs.js';
import { Migration0035TaskProcessing } from './0035-task-processing.js';
import { Migration0036AssistanceProgress } from './0036-assistance-progress.js';
import { Migration0037NewsEvents } from './0037-news-events.js';
import { Migration0038ActingForUsers } from './0038-acting-for-users.js';
import { Migration0039AppSecretsAndTrust } from './0039-app-secrets-and-trust.js';
import { Migration0042TaskQueue } from './0042-task-queue.js';
import { Migration0044AutomaticTasks } from './0044-automatic-tasks.js';
import { Migration0045AskingForTasks } from './0045-asking-for-tasks.js';
import { Migration0048AppPasswordScopes } from './0048-app-password-scopes.js';
import { Migration0056AuditLog } from './0056-audit-log.js';
import { Migration0057ManagedGroups } from './0057-managed-groups.js';
import { Migration0058Scim } from './0058-scim.js';
import { Migration0059UsedAllowances } from './0059-used-allowances.js';
import { Migration0060SecondFactors } from './0060-second-factors.js';
import { Migration0061FileStores } from './0061-file-stores.js';
import { Migration0063PasswordLinks } from './0063-password-links.js';
import { Migration0064Ldap } from './0064-ldap.js';
import { Migration0067StorageQuotas } from './0067-storage-quotas.js';
import { Migration0068Passkeys } from './0068-passkeys.js';
import { Migration0069ReadersById } from './0069-readers-by-id.js';
import { Migration0070ArticlesBySource } from './0070-articles-by-source.js';
import { Migration0071PlacesOfEvents } from './0071-places-of-events.js';
import { Migration0072ScopesOfPrograms } from './0072-scopes-of-programs.js';
import { Migration0073ConfirmedAddresses } from './0073-confirmed-addresses.js';
import { Migration0074FormerAccounts } from './0074-former-accounts.js';
import { Migration0075DeadProperties } from './0075-dead-properties.js';
import { Migration0076WhatMakesAnItem } from './0076-what-makes-an-item.js';
import { Migration0077Manners } from './0077-manners.js';

/** All migrations, oldest first. Append only. */
export const MIGRATIONS = [
  Migration0001Accounts,
  Migration0002News,
  Migration0003FetchHistory,
  Migration0004FullTextFiltersSearch,
  Migration0006AppApi,
  Migration0007Notifications,
  Migration0008Files,
  Migration0009Chat,
  Migration0010Login,
  Migration0011People,
  Migration0012ReaderPages,
  Migration0013WorkOfApps,
  Migration0014GatewayFailures,
  Migration0015PiecesAndGroups,
  Migration0016Administration,
  Migration0017Endings,
  Migration0018ArticleIdentity,
  Migration0019PartialDocuments,
  Migration0020ClientsAndRights,
  Migration0022Bounds,
  Migration0023GatewayOperation,
  Migration0024SecretKey,
  Migration0026Ingest,
  Migration0027RequestsOfClients,
  Migration0028ListsByDate,
  Migration0029Preferences,
  Migration0030FeedEditing,
  Migration0031ArticleExtras,
  Migration0032Trash,
  Migration0033ArrivalAndLabels,
  Migration0034LoginsOfPrograms,
  Migration0035TaskProcessing,
  Migration0036AssistanceProgress,
  Migration0037NewsEvents,
  Migration0038ActingForUsers,
  Migration0039AppSecretsAndTrust,
  Migration0042TaskQueue,
  Migration0044AutomaticTasks,
  Migration0045AskingForTasks,
  Migration0048AppPasswordScopes,
  Migration0056AuditLog,
  Migration0057ManagedGroups,
  Migration0058Scim,
  Migration0059UsedAllowances,
  Migration0060SecondFactors,
  Migration0061FileStores,
  Migration0063PasswordLinks,
  Migration0064Ldap,
  Migration0067StorageQuotas,
  Migration0068Passkeys,
  Migration0069ReadersById,
  Migration0070ArticlesBySource,
  Migration0071PlacesOfEvents,
  Migration0072ScopesOfPrograms,
  Migration0073ConfirmedAddresses,
  Migration0074FormerAccounts,
  Migration0075DeadProperties,
  Migration0076WhatMakesAnItem,
  Migration0077Manners,
];
