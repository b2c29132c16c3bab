/** Lua scripts, calls of them, and the executor that sends such calls. */
@NullMarked
package io.headgate.redis.internal.script;

import org.jspecify.annotations.NullMarked;
