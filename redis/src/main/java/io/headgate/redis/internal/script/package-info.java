/** Lua scripts, script calls, and the interfaces of the executors that send such calls. */
@NullMarked
package io.headgate.redis.internal.script;

import org.jspecify.annotations.NullMarked;
