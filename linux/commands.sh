# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# For scripts inside the kernel: commands for the card (linux/card/README.md) through $CONTROL.

command_number=0

# card_command LINE...: give the card commands, wait until they are done, and leave its answers in
# $answers; whether none is an error
card_command() {
    command_number=$((command_number + 1))
    file=$CONTROL/$$-$command_number
    printf '%s\n' "$@" > "$file.new"
    mv "$file.new" "$file.do"
    tries=0
    until [ -e "$file.done" ]; do
        tries=$((tries + 1))
        [ $tries = 1000 ] && echo "not ok the card does not answer" && return 1
        sleep 0.02
    done
    answers=$(cat "$file.done")
    ! echo "$answers" | grep '^error'
}
