/**
 * Resolves the attributes of an HTTP request, such as the user and the client address, by which rules count. Independent of any server.
 */
@NullMarked
package io.headgate.http.attributes;

import org.jspecify.annotations.NullMarked;
