/** Whether a text can be the id or name of a group: 1 to 64 characters, no slashes or controls. */
export function isGroupWord(text: string): boolean {
  return /^[^/\p{Cc}]{1,64}$/u.test(text) && text.isWellFormed();
}
