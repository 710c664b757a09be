/** Characters of the text around, which are cut to these. */
export const CONTEXT_CHARACTERS = 64;

/** Before all highlights of the item. */
export const NOTE_OF_ITEM = { prefix: '', suffix: '', position: -1 };
