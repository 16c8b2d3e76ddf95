#!/usr/bin/env bash
# A device in plain bash with curl, over HTTP: to try the gateway out, or for an old machine beside a small Linux box.
#
#   GATEWAY_HOST=192.168.1.10 MACHINE_ID=RF-01 ./device.sh
#
# Replace `read_machine` and `show_decision` with yours. The decision is a permission, never a start: a machine that
# stopped starts when its operator starts it. It is no safety function either: emergency stop and guards stay as they are.
set -u

url="http://${GATEWAY_HOST:-127.0.0.1}:${GATEWAY_PORT:-8080}/api/device/status"
machine_id="${MACHINE_ID:-RF-01}" # as it is configured in the gateway; upper and lower case count
part_id="${PART_ID:-}"            # may be left out: then a person selects the part on the gateway's page
override_after_ms="${OVERRIDE_AFTER_MS:-60000}"

now_ms() {
  # Time since the system started: it cannot be set, and the time of day may jump.
  local uptime
  read -r uptime _ </proc/uptime
  uptime="${uptime/./}0"
  echo $((10#$uptime))
}

boot_ms=$(now_ms)
valid_answer_ms=$boot_ms
run_enabled=false attention_needed=true message='No answer from the gateway yet'
override_switch=false # of the operator
running=false cycle=0 good_part=0 bad_part=0
pause_ms=1000 shown='' due_ms=0

# ---- Your machine ---------------------------------------------------------------------------------------------

# Here it is simulated: it runs whenever it may, and makes a part each time. The counters are totals since boot: they
# never decrease, and are not reset at a change of shift or of the part.
read_machine() {
  running=$may_run
  if [ "$running" = true ]; then
    cycle=$((cycle + 1)) good_part=$((good_part + 1))
  fi
}

# Sets the interlock, the warning light, the override light and the message. Here: prints them when they change.
show_decision() {
  local line="run=$(bit "$may_run") light=$(bit "$warning_light") override=$(bit "$override") message=$shown_message"
  [ "$line" = "$shown" ] && return
  shown="$line"
  echo "$line"
}

bit() { [ "$1" = true ] && echo 1 || echo 0; }

# ---- The decision ---------------------------------------------------------------------------------------------

decide() {
  override=$override_switch
  # To leave override to the operator, take out this line, and light a lamp that offers it instead.
  [ $(($(now_ms) - valid_answer_ms)) -gt "$override_after_ms" ] && override=true
  if [ "$override" = true ]; then
    may_run=true warning_light=false shown_message=''
  else
    may_run=$run_enabled warning_light=$attention_needed shown_message=$message
    [ "$may_run" = true ] && shown_message=''
  fi
}

# Takes in a command as it came. Its fields have fixed names and the object is flat, so a pattern for each is enough;
# with jq installed, `jq -e .runEnabled` does the same.
take_answer() {
  local text="$1"
  if [[ $text =~ ^[[:space:]]*\{.*\}[[:space:]]*$ ]] &&
    [[ $text =~ \"runEnabled\"[[:space:]]*:[[:space:]]*(true|false)[[:space:]]*[,}] ]]; then
    local run="${BASH_REMATCH[1]}"
    if [[ $text =~ \"attentionNeeded\"[[:space:]]*:[[:space:]]*(true|false)[[:space:]]*[,}] ]]; then
      run_enabled=$run attention_needed="${BASH_REMATCH[1]}" message=''
      [[ $text =~ \"message\"[[:space:]]*:[[:space:]]*\"([^\"]*)\" ]] && message="${BASH_REMATCH[1]}"
      valid_answer_ms=$(now_ms)
      pause_ms=1000
      return
    fi
  fi
  # It starts no new 60 s: a gateway that is broken for long must not stop the plant.
  run_enabled=false attention_needed=true message="The gateway's answer cannot be read"
}

status() {
  local part=''
  [ -n "$part_id" ] && part=",\"partId\":\"$part_id\""
  # machinePower false or left out: the gateway does not let the machine run.
  echo "{\"machineId\":\"$machine_id\",\"running\":$running,\"machinePower\":true,\"fault\":false,\"override\":$override," \
    "\"mSecSinceBoot\":$(($(now_ms) - boot_ms)),\"cycle\":$cycle,\"goodPart\":$good_part,\"badPart\":$bad_part$part}"
}

# ---- The connection -------------------------------------------------------------------------------------------

grow_pause() {
  due_ms=$(($(now_ms) + pause_ms))
  pause_ms=$((pause_ms * 2))
  [ "$pause_ms" -gt 60000 ] && pause_ms=60000
}

# Sends a status, and sets when the next one is due.
poll() {
  local answer code body before_ms
  if ! answer=$(curl -s --max-time 5 --write-out '\n%{http_code}' -H 'Content-Type: application/json' \
    --data "$(status)" "$url"); then
    grow_pause # no gateway there; the last command still counts, so a short break of the network stops no machine
    return
  fi
  code="${answer##*$'\n'}"
  body="${answer%$'\n'*}"
  case "$code" in
  200) take_answer "$body"
    due_ms=$(($(now_ms) + 1000))
    [ "$running" = true ] && due_ms=$((due_ms - 500)) ;;
  400) echo "The gateway refuses the status: $body" >&2 # check machineId and JSON: the text names field and rule
    grow_pause ;;
  500) before_ms=$valid_answer_ms
    take_answer "$body" # a fault inside the gateway: its answer says stop, and starts no new 60 s
    valid_answer_ms=$before_ms
    due_ms=$(($(now_ms) + 5000)) ;;
  *) grow_pause ;;
  esac
}

trap 'exit 0' TERM INT
while true; do
  decide
  show_decision
  if [ "$(now_ms)" -ge "$due_ms" ]; then
    read_machine
    poll
  fi
  sleep 0.05
done
