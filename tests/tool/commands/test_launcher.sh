# SPDX-License-Identifier: MIT
# What a launcher's environment makes of the tool, without MPI: never P serial runs, one rank speaks.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

# alone in a directory the tool finds no libgenalpha_mpi
mkdir "$work/bin"
cp "$tool" "$work/bin/genalpha"
tool=$work/bin/genalpha
unset LD_LIBRARY_PATH

# launched SIZE RANK SIZE_VARIABLE RANK_VARIABLE: what the next commands find
launched() {
  unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_SIZE PMI_RANK SLURM_STEP_NUM_TASKS SLURM_PROCID
  export "$3=$1" "$4=$2"
}

for names in 'OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK' 'PMI_SIZE PMI_RANK' \
  'MV2_COMM_WORLD_SIZE MV2_COMM_WORLD_RANK' 'SLURM_STEP_NUM_TASKS SLURM_PROCID'; do
  launched 3 0 $names
  refused 1 '3 ranks were started, but libgenalpha_mpi cannot be opened' run "$models/pendulum.yaml"
  launched 3 2 $names
  tool run "$models/pendulum.yaml"
  ok "another rank: exit 1" code_is 1
  ok "and silent" err_empty
  unset MV2_COMM_WORLD_SIZE MV2_COMM_WORLD_RANK
done
ok "nothing was written" sh -c "! ls '$work'/*.csv 2>/dev/null"

# one rank is as without a launcher; so are numbers that mean nothing
launched 1 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01
launched 4 x OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01
launched '' 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds run "$models/pendulum.yaml" --t-end 0.01

# what is not shared out
launched 2 0 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
for command in 'converge heavy-top' "equilibrium $models/governor.yaml" "modes $models/governor.yaml" \
  "check $models/governor.yaml" 'reproduce' 'list' 'params' 'schema' 'plot x.csv' 'export x.h5' \
  "view $models/governor.yaml"; do
  refused 1 "2 ranks were started, but '${command%% *}' is not shared out over ranks and would be done 2 times" $command
done
refused 1 "'heavy-top' is not shared out over ranks: only mechanisms of model files are" run heavy-top
refused 2 "unknown option '--frob'" run --frob
succeeds --version
succeeds --help
succeeds run --help
ok "help says what --petsc is for" out_has 'under mpirun: solve linear systems by PETSc'
launched 2 1 OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
succeeds --version
ok "one rank prints" out_empty
tool converge heavy-top
ok "the others fail" code_is 1
ok "in silence" err_empty

unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
refused 2 'petsc is for several ranks' run "$models/pendulum.yaml" --petsc ''
finish
