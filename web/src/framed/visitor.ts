const { dataset } = document.head;

/**
 * The visitor in the document: the holder of the frame's pass, with an empty id if there is none. Not from
 * `page-context`, which brings the framework of our pages along.
 */
export const visitor = {
  userId: dataset['user'] ?? '',
  displayName: dataset['userDisplayname'] ?? '',
  isAdmin: dataset['userIsAdmin'] === 'true',
  /** Requests there need none: the browser says which page sent them. */
  requestToken: '',
  webRoot: dataset['webroot'] ?? '',
};
