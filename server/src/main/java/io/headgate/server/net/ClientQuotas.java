package io.headgate.server.net;

/**
 * The quotas of the connections of one client.
 *
 * @param streams open streams of HTTP/2
 * @param bodyBytes bytes of incomplete bodies
 * @param bodyRefused runs when a body is rejected because the quota is used up
 */
record ClientQuotas(Quota streams, Quota bodyBytes, Runnable bodyRefused) {}
