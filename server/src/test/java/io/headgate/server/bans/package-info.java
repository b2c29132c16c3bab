@NullMarked
package io.headgate.server.bans;

import org.jspecify.annotations.NullMarked;
