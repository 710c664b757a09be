import { h, type FunctionalComponent, type VNodeChild } from 'vue';
import { page } from '../../host/page-context.js';
import { nameOf, type Part } from './parse-message.js';

interface Props {
  readonly parts: readonly Part[];
  /** Show names without highlighting, as in system messages. */
  readonly plainNames?: boolean;
}

/** Renders message parts as elements; message text never becomes HTML. */
export const MessageParts: FunctionalComponent<Props> = ({ parts, plainNames = false }) =>
  parts.map((part) => elementOf(part, plainNames));
MessageParts.props = { parts: { type: Array, required: true }, plainNames: Boolean };

function elementOf(part: Part, plainNames: boolean): VNodeChild {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return h('code', part.text);
    case 'bold':
      return h(
        'strong',
        part.parts.map((inner) => elementOf(inner, plainNames)),
      );
    case 'link':
      return h(
        'a',
        { href: part.href, target: '_blank', rel: 'noopener noreferrer nofollow' },
        part.text,
      );
    case 'object': {
      const { object } = part;
      if (plainNames || object.type === 'highlight') {
        return h('strong', object.name);
      }
      const isForVisitor =
        object.type === 'call' || (object.type === 'user' && object.id === page.userId);
      return h('span', { class: ['mention', { own: isForVisitor }] }, nameOf(object));
    }
  }
}
