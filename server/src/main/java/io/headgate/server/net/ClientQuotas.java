package io.headgate.server.net;

/**
 * What the connections of one client may have together.
 *
 * @param streams open streams of HTTP/2
 * @param bodyBytes bytes of bodies that have not arrived completely
 * @param bodyRefused runs when a body is refused, as the client has as many bytes as it may
 */
record ClientQuotas(Quota streams, Quota bodyBytes, Runnable bodyRefused) {}
