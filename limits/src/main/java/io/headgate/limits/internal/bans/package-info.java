/** How engines store bans and find those of a request. Not part of the API. */
@NullMarked
package io.headgate.limits.internal.bans;

import org.jspecify.annotations.NullMarked;
