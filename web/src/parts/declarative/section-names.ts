interface Texts {
  t(key: string): string;
  te(key: string): boolean;
}

/** Sections that the host brings along are named in the visitor's language, others by their app. */
export function nameOfSection(
  { id, name }: { readonly id: string; readonly name: string },
  { t, te }: Texts,
): string {
  const key = `declarative.sections.${id}`;
  return te(key) ? t(key) : name;
}
