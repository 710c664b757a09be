import { z } from 'zod';
import { text } from '../../parameters.js';

/** Pages ask for the pictures of an article or a screen at once. */
const MOST_ADDRESSES = 200;
const LONGEST_ADDRESS = 8_000;

const address = text.max(LONGEST_ADDRESS, `must have at most ${LONGEST_ADDRESS} characters`);

export const SignAddresses = z.object({
  addresses: z
    .array(address, { error: 'must be a list of texts' })
    .max(MOST_ADDRESSES, `must have at most ${MOST_ADDRESSES} entries`),
});

export const ShowPicture = z.object({ signature: text, address });
