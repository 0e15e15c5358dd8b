/* SPDX-License-Identifier: MIT */
/* The ten mechanisms against reference values of all their columns: errors of the size of the
 * discretization, falling with order 2, in R^3 x SO(3) and in SE(3). */
#include "mechanisms.h"

/* Reference values of the mechanisms in mechanisms.h: names and values of columns at one or more
 * times, from an independent solution of high order. Columns that vanish are left out. */
static const struct {
  const char *model;
  double t;
  const char *values; /* "name value name value .." */
} mechanism_references[] = {
    {"double-pendulum", 0.5,
     "upper.x -0.0853346024206873 upper.y 0.227374155323526 upper.z -0.437057203487846 "
     "lower.x 0.0876508377584024 lower.y 0.680391211656676 lower.z -0.94379967669039 "
     "ball.fx 6.12472056663185 ball.fy -9.37394047240714 ball.fz 23.8761491804142 "
     "hinge.angle -2.6379766586865 energy.total 2.52874999999988"},
    {"double-pendulum", 1,
     "upper.x -0.301022192452661 upper.y -0.335288409322911 upper.z -0.21671945511353 "
     "upper.e0 -0.337623186019687 upper.e1 0.291527686179641 upper.e2 -0.858966983239969 "
     "upper.e3 0.251391953244903 upper.vx 1.09392224700979 upper.vy -1.27314255349395 "
     "upper.vz 0.450236774467488 upper.wx -5.43694238274579 upper.wy -4.56015211848389 "
     "upper.wz 0.315097574862499 upper.ax 6.28168018095021 upper.ay 2.03939260026754 "
     "upper.az 2.05593519781068 upper.alx 18.8794799442423 upper.aly -11.7082681999321 "
     "upper.alz 16.0943670468128 lower.x -0.594899229219614 lower.y -0.938210864833048 "
     "lower.z -0.208003855118763 lower.e0 0.459397279023767 lower.e1 0.546956584466132 "
     "lower.e2 -0.69985116898155 lower.e3 0.000987932113366408 lower.vx 1.28677222009778 "
     "lower.vy -1.31526251934558 lower.vz 2.39048963183064 lower.wx -5.44770924948922 "
     "lower.wy -4.48186371464745 lower.wz 0.408381972079745 lower.ax 2.95890046221459 "
     "lower.ay 7.48888061271668 lower.az -11.7073764618992 lower.alx 19.4597803705107 "
     "lower.aly -18.6964668965115 lower.alz 6.69255507348243 ball.fx 8.64880055072188 "
     "ball.fy 8.03049709044089 ball.fz 10.3480340282913 hinge.fx 4.38616028927305 "
     "hinge.fy 4.29678445271071 hinge.fz -2.46978887788794 hinge.mx -0.000134979912409157 "
     "hinge.my -0.0198316972676862 hinge.angle -2.82327822013635 "
     "hinge.angle_rate -0.122257835572665 tip.x -0.587754073533905 tip.y -1.20584491102027 "
     "tip.z 0.0174311999895335 tip.vx 0.385699946175979 tip.vy -0.0842399317032478 "
     "tip.vz 3.8805057147263 tip.ax -6.64555943747125 tip.ay 10.8989760248983 "
     "tip.az -27.5266233194197 energy.kinetic 6.28718210963557 "
     "energy.potential -3.75843210963578 energy.total 2.52874999999979 "
     "momentum.x 2.12334002308802 momentum.y -2.32535256897041 momentum.z 2.362628479932 "
     "angular_momentum.x -2.76740478274604 angular_momentum.y 0.724837576118284 "
     "angular_momentum.z 2.52875"},
    {"driven-crank", 0.5,
     "crank.angle 0.9375 slider.x 0.59165725404455 slider.vx -1.20919718956259 "
     "bearing.fx -27.7355808929161 bearing.fy 18.8514483459193 "
     "guide.position -0.10834274595545 motor.effort 5.97214133900922 "
     "energy.total 3.52469899706771"},
    {"driven-crank", 1,
     "crank.angle 6 slider.x 0.688901322477063 slider.vx 0.929776073726488 "
     "bearing.fx -82.7041682692657 bearing.fy 15.4152161713232 "
     "guide.position -0.0110986775229366 motor.effort -2.60344582122161 "
     "energy.total 2.05510621139363"},
    {"driven-crank", 2,
     "crank.x 0.0660316708244082 crank.y -0.0750987246771675 crank.angle 18 "
     "crank.vx 0.901184696126009 crank.vy 0.792380049892898 crank.rate 12 "
     "crank.ax -9.50856059871479 crank.ay 10.8142163535121 rod.x 0.370517072070177 "
     "rod.y -0.0750987246771675 rod.angle 0.305106647305463 rod.vx 2.05192192012162 "
     "rod.vy 0.792380049892899 rod.rate -3.32299288626234 rod.ax -18.5055282410863 "
     "rod.ay 10.8142163535121 rod.al -41.8737633544616 slider.x 0.608970802491538 "
     "slider.vx 2.30147444799122 slider.ax -17.993935284743 bearing.fx -45.9565351039848 "
     "bearing.fy 24.2006757340015 bearing.angle 18 bearing.angle_rate 12 "
     "pin.fx -26.7530819308285 pin.fy -25.0103681388234 pin.angle -17.6948933526945 "
     "pin.angle_rate -15.3229928862623 wrist.fx -22.2348322074388 wrist.fy -10.8705856540209 "
     "wrist.angle -0.305106647305463 wrist.angle_rate 3.32299288626234 "
     "guide.fx 26.8577569730227 guide.my -2.44484006413156 guide.position -0.0910291975084621 "
     "guide.position_rate 2.30147444799122 motor.effort -4.35430293697725 "
     "energy.kinetic 6.14254094018925 energy.potential -1.26627910819016 "
     "energy.total 4.87626183199909 momentum.x 5.25458106423885 momentum.y 1.5847600997858 "
     "angular_momentum.z 0.538458036927597"},
    {"four-bar", 0.5,
     "crank.angle -0.932799043481666 crank.rate -6.59969098861304 "
     "rocker.angle 2.21704083588271 A.fx -19.9280857972466 A.fy 27.2905118937001 "
     "A.angle -1.80546366947883 D.angle 0.813324572796529 energy.total 17.495815582691"},
    {"four-bar", 1.5,
     "crank.x -0.00593315057239583 crank.y -0.199911974939685 crank.angle -1.60046643263937 "
     "crank.vx 2.1195513140566 crank.vy -0.0629057718829088 crank.rate 10.6024229648878 "
     "crank.ax -11.146915743731 crank.ay 22.8230011731772 crank.al -59.0953560822489 "
     "coupler.x 0.188536894311637 coupler.y 0.0582574394510115 coupler.angle 1.15839946700208 "
     "coupler.vx 2.65280254206826 coupler.vy 0.568169075400818 coupler.rate 3.46292192390476 "
     "coupler.ax -2.48161402092355 coupler.ay 30.4338830277255 coupler.al -48.4966616956209 "
     "rocker.x 0.694470044884033 rocker.y 0.258169414390696 rocker.angle 2.44001500662061 "
     "rocker.vx 0.533251228011664 rocker.vy 0.631074847283728 rocker.rate -2.0655089189019 "
     "rocker.ax 8.66530172280739 rocker.ay 7.61088185454836 rocker.al -28.515426641931 "
     "A.fx 0.076623537188397 A.fy 112.74787352977 A.angle -2.47313105863654 "
     "A.angle_rate 10.6024229648878 B.fx -60.7569998768504 B.fy -62.4197611599951 "
     "B.angle 3.12809018792204 B.angle_rate -7.13950104098307 C.fx 14.8176098427719 "
     "C.fy -3.62147976068408 C.angle 0.381339614248924 C.angle_rate -5.52843084280667 "
     "D.fx -0.0929014175284606 D.fy 21.7197044315004 D.angle 1.03629874353443 "
     "D.angle_rate -2.0655089189019 energy.kinetic 11.4857255552503 "
     "energy.potential 5.37481788207173 energy.total 16.860543437322 "
     "momentum.x 7.85444810020046 momentum.y 2.09573328894927 "
     "angular_momentum.z 1.23936711072136"},
    {"gear-pair", 1,
     "b1.angle 7.4839573140637 b1.angle_rate 5.39787435038957 b2.angle 0.00285937355814881 "
     "b3.angle -3.74340834381092 b3.angle_rate -2.68339318878002 "
     "b4.angle -0.00221531500467594 gears.effort 0.497787843588967 "
     "energy.total 0.759158170560565"},
    {"gear-pair", 2,
     "motor.e0 0.376418778568433 motor.e3 0.926449622559721 motor.wz 6.40941215244233 "
     "motor.alz -22.2342430722473 pinion.e0 0.374300155229957 pinion.e3 0.927307604732556 "
     "pinion.wz 6.37833854647761 pinion.alz -24.5095887891548 wheel.x 0.3 "
     "wheel.e0 -0.828945159594396 wheel.e3 0.559329886904876 wheel.wz -3.1891692732388 "
     "wheel.alz 12.2547943945774 load.x 0.3 load.z 0.2 load.e0 -0.827972971232352 "
     "load.e3 0.560768008100205 load.wz -3.16400373007648 load.alz 15.1828205425139 "
     "b1.angle 14.936107840648 b1.angle_rate 6.40941215244233 b2.angle 0.00457152076842143 "
     "b2.angle_rate -0.0310736059647246 b3.angle -7.47033968070822 "
     "b3.angle_rate -3.1891692732388 b4.angle -0.00347179696435889 "
     "b4.angle_rate 0.0251655431623255 gears.effort 0.791134737619217 "
     "energy.kinetic 1.06551244189053 energy.potential 0.00419922069191387 "
     "energy.total 1.06971166258245 angular_momentum.z -0.188715440822048"},
    {"governor", 0.5,
     "sleeve.z -0.287556343632157 bearing.angle 5.10621399575443 "
     "bearing.angle_rate 11.3188658983547 hingeR.angle 0.0525794307409156 "
     "linkR.tension 35.8655333534783 energy.total -0.906289249235622"},
    {"governor", 1,
     "spindle.e0 0.714493064435848 spindle.e3 -0.699642523631226 spindle.wz 12.7741444495374 "
     "spindle.alz -11.8508403544 armR.x 0.00550525731463517 armR.y -0.26208883001635 "
     "armR.z -0.201620606088205 armR.e0 0.666528367188786 armR.e1 0.252022458073587 "
     "armR.e2 0.257371861048521 armR.e3 -0.652674759355392 armR.vx 3.35270376926827 "
     "armR.vy -0.155484419995733 armR.vz 0.248852834700355 armR.wx -1.11997169607737 "
     "armR.wy -0.0235253534903796 armR.wz 12.7741444495374 armR.ax 1.76976599025589 "
     "armR.ay 42.5834791045353 armR.az 0.824423313029257 armR.alx -2.27114358644983 "
     "armR.aly -14.3606987393426 armR.alz -11.8508403543996 armL.x -0.0055052573146351 "
     "armL.y 0.26208883001635 armL.z -0.201620606088206 armL.e0 0.257371861048521 "
     "armL.e1 0.652674759355392 armL.e2 0.666528367188786 armL.e3 -0.252022458073587 "
     "armL.vx -3.35270376926827 armL.vy 0.155484419995734 armL.vz 0.248852834700355 "
     "armL.wx 1.11997169607737 armL.wy 0.0235253534903816 armL.wz 12.7741444495374 "
     "armL.ax -1.76976599025583 armL.ay -42.5834791045353 armL.az 0.824423313029274 "
     "armL.alx 2.27114358645004 armL.aly 14.3606987393427 armL.alz -11.8508403543998 "
     "sleeve.z -0.241944727305847 sleeve.e0 0.714493064435848 sleeve.e3 -0.699642523631226 "
     "sleeve.vz 0.298623401640427 sleeve.wz 12.7741444495374 sleeve.az 0.989307975635146 "
     "sleeve.alz -11.8508403544002 bearing.fz 63.3118858903581 bearing.angle 11.0165765097741 "
     "bearing.angle_rate 12.7741444495374 hingeR.fx -25.2911912187312 "
     "hingeR.fy -50.9071689517627 hingeR.fz 3.99548644831951 hingeR.mx 0.819882235423131 "
     "hingeR.my -0.875733063130419 hingeR.angle -0.135665690188035 "
     "hingeR.angle_rate -1.12021874750928 hingeL.fx 25.2911912187312 "
     "hingeL.fy -50.9071689517627 hingeL.fz -3.99548644831946 hingeL.mx -0.819882235423121 "
     "hingeL.my -0.875733063130406 hingeL.angle 0.135665690188034 "
     "hingeL.angle_rate 1.12021874750928 slide.mz -0.047403361417583 "
     "slide.position 0.0338312722169854 slide.position_rate 0.298623401640427 "
     "linkR.fx 42.8880370195533 linkR.fz 29.4253045794841 linkR.tension 52.0118473906279 "
     "linkL.fx -42.8880370195532 linkL.fz 29.4253045794841 linkL.tension 52.0118473906278 "
     "energy.kinetic 17.7332344457184 energy.potential -6.93342960295312 "
     "energy.total 10.7998048427652 momentum.z 1.34380530738192 "
     "angular_momentum.z 2.7357438352116"},
    {"gyroscope", 1,
     "top.x 0.173343964098293 top.y 0.640088592070737 top.z -0.748490791133459 "
     "top.e0 0.732943980679714 top.e1 -0.278285719337582 top.e2 0.531824611334172 "
     "top.e3 -0.320176142736145 top.vx 0.570825303427026 top.vy -4.58872829633354 "
     "top.vz -3.7919551547102 top.wx 20.1397865057509 top.wy 96.2433438658499 "
     "top.wz -113.434425787864 top.ax -34.5067159651167 top.ay -26.456206765977 "
     "top.az 17.1616616775103 top.alx 76.8065522421492 top.aly -665.456155783577 "
     "top.alz -551.291941723253 pin.fx -517.600739476751 pin.fy -396.843101489655 "
     "pin.fz 404.574925162654 energy.kinetic 5545.83721078078 "
     "energy.potential -110.140419915288 energy.total 5435.69679086549 "
     "momentum.x 8.56237955140539 momentum.y -68.8309244450031 momentum.z -56.879327320653 "
     "angular_momentum.x -77.1127354347791 angular_momentum.y 48.5109741121354 "
     "angular_momentum.z -70.3124296874976"},
    {"pendulum", 0.5,
     "rod.x -0.114076141918056 rod.z -0.486812729748403 rod.wy 3.73346987037406 "
     "pin.fx 6.44888307596639 pin.fy -32.4252011678707 pin.angle 1.27737704180562 "
     "pin.angle_rate 3.73346987037406 tip.x -0.228152283836112 tip.z -0.973625459496806 "
     "energy.total -4.90500000000003"},
    {"pendulum", 2,
     "rod.x 0.317614798298968 rod.z -0.38616167585806 rod.e0 0.904220547377114 "
     "rod.e2 0.427065804883781 rod.vx -1.09321792357671 rod.vz -0.899162739342526 "
     "rod.wy 2.8309850301627 rod.ax -6.15512526062284 rod.az 0.12600989465254 "
     "rod.aly 9.34740351393862 pin.fx -12.3102505212457 pin.fy -19.8720197893051 "
     "pin.angle 0.358891787088357 pin.angle_rate 2.8309850301627 tip.x 0.635229596597937 "
     "tip.z -0.772323351716121 tip.vx -2.18643584715342 tip.vz -1.79832547868505 "
     "tip.ax -12.3102505212457 tip.az 0.252019789305078 energy.kinetic 2.67149208033511 "
     "energy.potential -7.57649208033514 energy.total -4.90500000000004 "
     "momentum.x -2.18643584715342 momentum.z -1.79832547868505 "
     "angular_momentum.y 1.8873233534418"},
    {"rolling-disk", 1,
     "disk.x 3.60433840881476 disk.y -1.74358426250727 disk.z 0.453132732350964 "
     "disk.e0 -0.372695104841649 disk.e1 -0.462834482020039 disk.e2 -0.802832415820252 "
     "disk.e3 -0.0484015825002904 disk.wx 5.6877403065325 disk.wy 4.49721390087603 "
     "disk.wz 3.98018177505989 floor.fx -4.61009032198078 floor.fy -3.70737322463971 "
     "floor.fz 14.5550070039167 energy.total 34.4548983300512"},
    {"rolling-disk", 2,
     "disk.x 4.47465986710985 disk.y -5.65177707229878 disk.z 0.453069273020829 "
     "disk.e0 -0.38021924076522 disk.e1 0.358014101973819 disk.e2 0.506855131356257 "
     "disk.e3 0.685825858040969 disk.vx -0.940733527557823 disk.vy -4.01830180748424 "
     "disk.vz -0.0206967851222128 disk.wx 7.05664940726309 disk.wy -1.67253645201172 "
     "disk.wz 3.97789115953919 disk.ax -2.88889724473127 disk.ay 0.634690295154743 "
     "disk.az -2.52814456940708 disk.alx -1.35769730094579 disk.aly -7.5184685549053 "
     "disk.alz -0.74670832631867 floor.fx -5.77779448946254 floor.fy 1.26938059030949 "
     "floor.fz 14.5637108611858 floor.mx -82.980688719015 floor.my -68.1740200034115 "
     "floor.mz -26.9784666835138 energy.kinetic 25.5656791933825 "
     "energy.potential 8.88921913666867 energy.total 34.4548983300512 "
     "momentum.x -1.88146705511565 momentum.y -8.03660361496849 "
     "momentum.z -0.0413935702444256 angular_momentum.x 5.66963544481955 "
     "angular_momentum.y -1.0795848392011 angular_momentum.z -45.6610832867068"},
    {"slider-crank-3d", 0.5,
     "slider.x 0.239000145808434 slider.vx -0.182163457705633 bearing.angle 4.10092809910301 "
     "bearing.angle_rate 3.49608685866469 cross.angle_a -0.142019178924054 "
     "cross.angle_b -0.480231034797172 guide.fy 23.0588867176936 "
     "guide.position 0.0390001458084341 energy.total 0.340315859220137"},
    {"slider-crank-3d", 1,
     "crank.y 0.0778279028865006 crank.z 0.0867073865611372 crank.e0 0.289555404049407 "
     "crank.e1 0.957161254954349 crank.vy -0.0975887305413395 crank.vz 0.0649917980971706 "
     "crank.wx -2.93124271305848 crank.ay 3.94441197548441 crank.az -2.21395629883105 "
     "crank.alx 112.754898253843 rod.x 0.144956280733239 rod.y 0.0278279028865006 "
     "rod.z 0.0267073865611372 rod.e0 0.991522045913453 rod.e1 0.0084637410008686 "
     "rod.e2 0.0889807612715601 rod.e3 -0.094312362283027 rod.vx 0.00676016683292324 "
     "rod.vy -0.0975887305413395 rod.vz 0.0649917980971705 rod.wx 0.0830132217778271 "
     "rod.wy 0.432418063613222 rod.wz 0.657933991236606 rod.ax -0.444471397679792 "
     "rod.ay 3.94441197548441 rod.az -2.21395629883104 rod.alx -3.10574789040702 "
     "rod.aly -14.6413242719212 rod.alz -26.7067316333342 slider.x 0.289912561466477 "
     "slider.e0 1 slider.vx 0.0135203336658465 slider.ax -0.888942795359584 "
     "bearing.fx 2.18129994715363 bearing.fy 2.96898994596024 bearing.fz -2.00012128955908 "
     "bearing.mx 0.133178529848261 bearing.my -0.0886937669417636 "
     "bearing.angle 2.55406803201076 bearing.angle_rate -2.93124271305849 "
     "ball.fx -2.00012128955908 ball.fy -0.281112369530927 ball.fz -2.6591916249657 "
     "cross.fx 1.03143400344715 cross.fy -1.47201951680916 cross.fz 1.74055714876451 "
     "cross.mx 0.000491631965465496 cross.my -0.00174927814289162 "
     "cross.angle_a 0.273980694590218 cross.angle_a_rate 0.657933991236606 "
     "cross.angle_b -0.5507239943586 cross.angle_b_rate 0.440314179568343 "
     "guide.fx 0.264235477646607 guide.fy 21.3605571487645 guide.mx -6.19303640931933 "
     "guide.my 0.0766051841548461 guide.mz 0.00178446643456386 "
     "guide.position 0.0899125614664773 guide.position_rate 0.0135203336658465 "
     "energy.kinetic 0.00611436302758408 energy.potential 0.23307166654215 "
     "energy.total 0.239186029569734 momentum.x 0.0304207507481545 "
     "momentum.y -0.0605050129356305 momentum.z 0.0402949148202457 "
     "angular_momentum.x 0.0042763124751133 angular_momentum.y -0.00296877657466701 "
     "angular_momentum.z -0.00461046143704249"},
    {"universal-shaft", 0.1,
     "output.wx 10.9168203239451 output.wz 18.9084874581735 front.angle 2 "
     "cross.angle_a -0.759391933761526 cross.angle_b 0.471977767663385 "
     "rear.fx 3.49676293226341 rear.fy 1.84789033296731 motor.effort -2.53749687403909 "
     "energy.total 9.15061795911811"},
    {"universal-shaft", 0.5,
     "input.z -0.2 input.e0 0.283662185463227 input.e3 -0.958924274663138 input.wz 20 "
     "output.x 0.1 output.z 0.173205080756888 output.e0 0.244410725026765 "
     "output.e1 -0.250396491615563 output.e2 0.0654896563924268 output.e3 -0.934492428746274 "
     "output.wx 9.35222257591945 output.wz 16.1985246651852 output.alx 46.1013639600173 "
     "output.alz 79.8499046769747 front.fx 2.53728719288544 front.fy 1.64507762388055 "
     "front.fz -1.4649034438238 front.mx 1.02662168998104 front.my 1.38639950487137 "
     "front.angle 10 front.angle_rate 20 cross.fx -1.88634189649901 cross.fy 2.78060479698434 "
     "cross.mx -3.06672451637611 cross.my -2.08044341523645 cross.angle_a -0.974719598472079 "
     "cross.angle_a_rate 5.08780651503635 cross.angle_b -0.275481751744031 "
     "cross.angle_b_rate -8.71949004794986 rear.fx -1.64507762388055 rear.fy 2.9298068876476 "
     "motor.effort 3.33507910691887 energy.kinetic 7.24784402657225 "
     "energy.total 7.24784402657225 angular_momentum.x 0.280566677277583 "
     "angular_momentum.z 0.685955739955555"}};
enum { NREFERENCE = (int)(sizeof mechanism_references / sizeof mechanism_references[0]) };

/* quaternions have two signs */
static double difference(const char *name, double value, double reference) {
  const char *dot = strchr(name, '.');
  const bool quaternion = dot && dot[1] == 'e' && dot[2] >= '0' && dot[2] <= '3' && !dot[3];
  return quaternion ? fmin(fabs(value - reference), fabs(value + reference))
                    : fabs(value - reference);
}

typedef struct {
  char name[64];
  double value;
} reference_value;

/* the next pair of a list of references; false at its end */
static bool next_value(const char **list, reference_value *v) {
  int n = 0;
  if (sscanf(*list, " %63s %lf%n", v->name, &v->value, &n) != 2) return false;
  *list += n;
  return true;
}

/* Largest errors relative to 1 + |value|, coarse and fine; how many columns were there. */
static int worst_errors(const ga_mechanism *m, const char *reference, const double *coarse,
                        const double *fine, double worst[2]) {
  int compared = 0;
  for (reference_value v; next_value(&reference, &v);) {
    const int i = ga_mechanism_column_index(m, v.name);
    if (i < 0) continue; /* coordinates that nothing asked for */
    const double size = 1 + fabs(v.value);
    worst[0] = fmax(worst[0], difference(v.name, coarse[i], v.value) / size);
    worst[1] = fmax(worst[1], difference(v.name, fine[i], v.value) / size);
    compared++;
  }
  return compared;
}

/* Every column falls by nearly 4, unless its error is small beside those of others: it may go
 * through zero. */
static void each_falls(const ga_mechanism *m, const char *model, const char *reference,
                       const double *coarse, const double *fine, double worst) {
  for (reference_value v; next_value(&reference, &v);) {
    const int i = ga_mechanism_column_index(m, v.name);
    if (i < 0) continue;
    const double size = 1 + fabs(v.value);
    const double a = difference(v.name, coarse[i], v.value);
    const double b = difference(v.name, fine[i], v.value);
    if (b <= 0.32 * a || b <= (0.01 * worst + 1e-9) * size) continue;
    fail_msg("%s, %s: %.15g and %.15g, reference %.15g (errors %.2e, %.2e)", model, v.name,
             coarse[i], fine[i], v.value, a, b);
  }
}

static void compare(const struct mechanism_entry *e, ga_formulation formulation, int r) {
  ga_mechanism *m = mechanism_built(e, formulation);
  const double t = mechanism_references[r].t;
  const char *reference = mechanism_references[r].values;
  double *coarse = columns_at(m, e->h, t), *fine = columns_at(m, e->h / 2, t);
  double worst[2] = {0, 0};
  const int compared = worst_errors(m, reference, coarse, fine, worst);
  print_message("%-16s %s t = %-4g %3d columns, errors %.2e %.2e, order %.2f\n", e->name,
                formulation == GA_FORMULATION_SE3 ? "se3  " : "r3so3", t, compared, worst[0],
                worst[1], slope(worst[0], worst[1]));
  assert_true(compared >= 6);
  assert_true(worst[0] < 0.1);
  /* at a corner (driven-crank, t = 1) accelerations and forces are those of a start: exact here,
   * where all motion is given */
  if (worst[0] > 1e-12) assert_between("order", slope(worst[0], worst[1]), 1.85, 2.15);
  each_falls(m, e->name, reference, coarse, fine, worst[0]);
  free(coarse);
  free(fine);
  ga_mechanism_free(m);
}

static void all(ga_formulation formulation) {
  for (int r = 0; r < NREFERENCE; r++) {
    for (int i = 0; i < NMECHANISM; i++) {
      if (strcmp(mechanism_list[i].name, mechanism_references[r].model) != 0) continue;
      compare(&mechanism_list[i], formulation, r);
    }
  }
}

static void references_r3so3(void **state) {
  (void)state;
  all(GA_FORMULATION_R3SO3);
}

static void references_se3(void **state) {
  (void)state;
  all(GA_FORMULATION_SE3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(references_r3so3),
                                     cmocka_unit_test(references_se3)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
