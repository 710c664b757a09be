import { preferenceArea } from '../host/preferences.js';

interface FilesPreferences {
  view: 'list' | 'grid';
}

export const filesPreferences = preferenceArea<FilesPreferences>('files', { view: 'list' });
