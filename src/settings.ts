import { TaskProcessingSettings } from './app-api/task-processing/task-processing.settings.js';
import { Config, readConfig } from './common/config/config.js';
import { shapeOf } from './common/config/settings.js';
import { FeedsOutSettings } from './news/feeds-out/feeds-out.settings.js';
import { GroupFoldersSettings } from './news/group-folders/group-folders.settings.js';
import { ImportsSettings } from './news/imports/imports.settings.js';
import { NewsSettings } from './news/news.settings.js';
import { NoticesSettings } from './news/reader/notices/notices.settings.js';
import { SourcesSettings } from './news/sources/sources.settings.js';
import { SuggestingSettings } from './news/suggesting/suggesting.settings.js';
import { AccountsSettings } from './platform/accounts/accounts.settings.js';
import { FilesSettings } from './platform/files/files.settings.js';
import { StoreSettings } from './platform/files/stores/stores.settings.js';
import { MailSettings } from './platform/installation/mail/mail.settings.js';
import { PlatformSettings } from './platform/platform.settings.js';
import { LdapSettings } from './platform/sign-in/ldap/ldap.settings.js';
import { OidcSettings } from './platform/sign-in/oidc.settings.js';
import { ScimSettings } from './platform/sign-in/scim/scim.settings.js';
import { SignInSettings } from './platform/sign-in/sign-in.settings.js';
import { TrustedHeaderSettings } from './platform/sign-in/trusted-header/trusted-header.settings.js';
import { TransferSettings } from './platform/transfer/transfer.settings.js';

/** Also those of parts that are off: whoever switches a part off need not delete its settings. */
const SUBJECTS = [
  AccountsSettings,
  SignInSettings,
  MailSettings,
  OidcSettings,
  LdapSettings,
  ScimSettings,
  TrustedHeaderSettings,
  PlatformSettings,
  TransferSettings,
  StoreSettings,
  FilesSettings,
  SourcesSettings,
  NewsSettings,
  ImportsSettings,
  GroupFoldersSettings,
  NoticesSettings,
  SuggestingSettings,
  FeedsOutSettings,
  TaskProcessingSettings,
];

/** Every setting, in the order of docs/configuration.md, which a test compares. */
export const SETTINGS = shapeOf([Config, ...SUBJECTS]);

/** @throws InvalidConfiguration naming every invalid variable, its rule and its value */
export function loadConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  return readConfig(variables, SUBJECTS);
}
