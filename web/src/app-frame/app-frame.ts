import { watch, type Ref } from 'vue';
import { requestJson } from '../host/http.js';
import { useListener } from '../host/listen.js';
import { addressOf } from '../host/page-context.js';
import { theme } from '../host/theme.js';
import {
  MessageBudget,
  readFrameMessage,
  sealed,
  type FrameMessage,
  type HostMessage,
} from './frame-messages.js';

/** A ticket with which the service shows the page of an app in a frame. */
export interface AppFrameTicket {
  readonly origin: string;
  readonly ticket: string;
  readonly title: string;
}

/** Burst, and rate per second: enough for an app that follows its user, and little for one that floods. */
const MOST_MESSAGES = 30;
const MESSAGES_PER_SECOND = 5;

/** @throws RequestFailed 404 for an unknown page */
export function requestTicket(appId: string, name: string): Promise<AppFrameTicket> {
  const page = [appId, name].map(encodeURIComponent).join('/');
  return requestJson<AppFrameTicket>(`/apps/app_api/tickets/${page}`, { method: 'POST' });
}

/**
 * Opens a page of the app in a frame: hands the ticket to the app's origin by a form, so that no script
 * there sees it.
 *
 * @param target name of the frame
 * @param place path of the page within the app
 */
export function enterFrame(
  ticket: AppFrameTicket,
  appId: string,
  target: string,
  place: string,
): void {
  submit(ticket, appId, target, { place });
}

/** Renews the pass in a hidden frame of its own, which leaves no trace in the history. */
export async function renewPass(ticket: AppFrameTicket, appId: string): Promise<void> {
  const frame = document.createElement('iframe');
  frame.name = 'renewal-of-pass';
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-same-origin');
  document.body.append(frame);
  await new Promise((resolve) => {
    // Resolves after the empty document that a frame begins with.
    frame.addEventListener('load', resolve, { once: true });
    submit(ticket, appId, frame.name, {});
  });
  frame.remove();
}

function submit(
  { origin, ticket }: AppFrameTicket,
  appId: string,
  target: string,
  fields: Readonly<Record<string, string>>,
): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = `${origin}${addressOf('/apps/app_api/enter/')}${encodeURIComponent(appId)}`;
  form.target = target;
  form.hidden = true;
  for (const [name, value] of Object.entries({ ticket, ...fields })) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}

/**
 * Receives messages of the page in the frame only, while the component is mounted. Tells it the theme.
 *
 * @param origin of the app; empty until it is known
 * @returns sends a message to the frame
 */
export function useFrameMessages(
  frame: Readonly<Ref<HTMLIFrameElement | null>>,
  origin: Readonly<Ref<string>>,
  onMessage: (message: FrameMessage) => void,
): (message: HostMessage) => void {
  const budget = new MessageBudget(MOST_MESSAGES, MESSAGES_PER_SECOND);

  function send(message: HostMessage): void {
    if (origin.value !== '') {
      frame.value?.contentWindow?.postMessage(sealed(message), origin.value);
    }
  }

  function hear({ data, origin: from, source }: MessageEvent<unknown>): void {
    const view = frame.value?.contentWindow;
    if (view === null || view === undefined || source !== view || from !== origin.value) {
      return;
    }
    const message = budget.take() ? readFrameMessage(data) : null;
    if (message === null) {
      return;
    }
    if (message.type === 'ready') {
      send({ type: 'theme', theme: theme.value });
    }
    onMessage(message);
  }

  useListener(window, 'message', hear);
  watch(theme, (chosen) => send({ type: 'theme', theme: chosen }));
  return send;
}
