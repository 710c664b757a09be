/** No key, or a wrong one. Not an error for clients: they are answered with 200. */
export class FeverKeyWrong extends Error {}
