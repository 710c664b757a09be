import { orElse } from '../../../../common/http/loose-inputs.js';
import { ConversationPath, integer, nonEmptyName, text } from '../../chat.input.js';

export const Invitation = ConversationPath.extend({
  newParticipant: nonEmptyName,
  source: orElse(text, 'users'),
});
export const ParticipantName = ConversationPath.extend({ participant: nonEmptyName });
export const Attendee = ConversationPath.extend({ attendeeId: integer });
