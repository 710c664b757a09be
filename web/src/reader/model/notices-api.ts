import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';
import type { SavingForm } from './saving-forms.js';

export type ChannelKind = 'push' | 'mail' | 'webhook' | 'app';

/** What a webhook is sent to; `standard` is a signed request to a program of one's own. */
export type WebhookForm =
  | 'standard'
  | 'ntfy'
  | 'gotify'
  | 'pushover'
  | 'apprise'
  | 'slack'
  | 'discord'
  | 'teams'
  | 'matrix'
  | SavingForm;

/** A way to the user. */
export interface Channel {
  readonly id: number;
  readonly kind: ChannelKind;
  /** Null unless it is a webhook. */
  readonly form: WebhookForm | null;
  readonly name: string;
  readonly enabled: boolean;
  /** Where it leads, shortened; never a secret. */
  readonly target: string;
  /** Whether articles of feeds with a password may leave by it. */
  readonly privateFeeds: boolean;
  /** Unix seconds; null while it works. */
  readonly failingSince: number | null;
  readonly lastError: string | null;
  /** Why the service has turned it off. */
  readonly offReason: string | null;
}

/** What users set. Absent fields stay, and so do secrets, which are never shown again. */
export interface ChannelDraft extends Partial<Pick<Channel, 'kind' | 'name' | 'enabled'>> {
  readonly form?: WebhookForm;
  readonly privateFeeds?: boolean;
  readonly address?: string;
  /** Signs or authorises. */
  readonly secret?: string;
  /** Whom the server tells: a user key of Pushover, addresses of Apprise. */
  readonly recipient?: string;
  /** Of an API client of wallabag. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly appId?: string;
}

/** A link with the gaps {url}, {title} and {text}. */
export interface SendTemplate {
  readonly name: string;
  readonly address: string;
}

export interface ChannelList {
  readonly channels: readonly Channel[];
  /** Of this service, for Web Push; null if it cannot push. */
  readonly applicationServerKey: string | null;
  /** Why it cannot. */
  readonly pushProblem: string | null;
  /** External apps that take notices. */
  readonly apps: readonly { readonly appId: string; readonly name: string }[];
  /** Links of the operator by which articles are sent on. */
  readonly templates: readonly SendTemplate[];
}

export interface SavedChannel {
  readonly channels: readonly [Channel];
  /** The key for checking signatures, if the service has made one; not shown again. */
  readonly secret?: string | null;
}

export interface Trial {
  readonly sent: boolean;
  /** What the receiver said, as a sentence. */
  readonly message: string;
}

export type NoticeState = 'waiting' | 'sent' | 'failed' | 'dropped';

/** Something that the user was told, or was to be told. */
export interface Notice {
  readonly id: number;
  /** Null if it was removed. */
  readonly ruleId: number | null;
  readonly ruleName: string;
  readonly itemId: number;
  readonly title: string;
  readonly feedId: number;
  readonly feedTitle: string;
  /** Unix seconds. */
  readonly at: number;
  readonly state: NoticeState;
  /** Name of the channel. */
  readonly channel: string;
  /** Why it was not sent, or not yet. */
  readonly reason: string | null;
}

export interface NoticePage {
  readonly notices: readonly Notice[];
  /** Value for `before`; null at the end. */
  readonly next: number | string | null;
}

export interface QuietHours {
  /** `HH:MM`. */
  readonly from: string;
  readonly to: string;
  /** On which they begin; 1 is Monday. */
  readonly days: readonly number[];
}

export interface NoticeSettings {
  readonly quiet: QuietHours | null;
  /** IANA name. */
  readonly timeZone: string;
  readonly notWhileReading: boolean;
  readonly mostPerRuleAndHour: number;
}

export const listChannels = (): Promise<ChannelList> =>
  requestJson<ChannelList>(`${NEWS_ROOT}/channels`);

export const addChannel = (channel: ChannelDraft): Promise<SavedChannel> =>
  change('POST', '/channels', channel);

export const changeChannel = (id: number, channel: ChannelDraft): Promise<SavedChannel> =>
  change('PUT', `/channels/${id}`, channel);

export const removeChannel = (id: number): Promise<void> => change('DELETE', `/channels/${id}`);

export const tryChannel = (id: number): Promise<Trial> => change('POST', `/channels/${id}/test`);

export const listNotices = (before: NoticePage['next']): Promise<NoticePage> =>
  requestJson<NoticePage>(`${NEWS_ROOT}/notices`, { query: before === null ? {} : { before } });

export const retryNotice = (id: number): Promise<void> => change('POST', `/notices/${id}/retry`);

export const noticeSettings = (): Promise<NoticeSettings> =>
  requestJson<NoticeSettings>(`${NEWS_ROOT}/notices/settings`);

export const saveNoticeSettings = (settings: NoticeSettings): Promise<void> =>
  change('PUT', '/notices/settings', settings);

/** Sends an article on by a channel, also again. */
export const sendOn = (itemId: number, channelId: number): Promise<void> =>
  change('POST', `/items/${itemId}/send`, { channelId });
