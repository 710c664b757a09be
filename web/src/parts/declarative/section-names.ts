interface Texts {
  t(key: string): string;
  te(key: string): boolean;
}

/** Translated names of the host's sections; other sections use the name given by their app. */
export function nameOfSection(
  { id, name }: { readonly id: string; readonly name: string },
  { t, te }: Texts,
): string {
  const key = `declarative.sections.${id}`;
  return te(key) ? t(key) : name;
}
