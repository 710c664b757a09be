/** Tells that events were recorded; also named by functions of the database. */
export const NEWS_EVENTS_CHANNEL = 'gatefold_news_event';
