import { orElse } from '../../../../common/http/loose-inputs.js';
import { MessagePath, text } from '../../chat.input.js';

/** One emoji. Some clients omit the variation selector U+FE0F or repeat it. */
const emoji = text.refine((value) => isEmoji(value), { error: 'must be one emoji' });

const EMOJI = /^\p{RGI_Emoji}$/v;

export const ReactionOf = MessagePath.extend({ reaction: emoji });
export const ReactionList = MessagePath.extend({ reaction: orElse(text, '') });

function isEmoji(text: string): boolean {
  const once = text.replace(/\uFE0F+/g, '\uFE0F');
  return EMOJI.test(once) || EMOJI.test(`${once}\uFE0F`);
}
