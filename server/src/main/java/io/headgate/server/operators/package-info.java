/**
 * Operators: who they are and what they may do over HTTP.
 */
@NullMarked
package io.headgate.server.operators;

import org.jspecify.annotations.NullMarked;
